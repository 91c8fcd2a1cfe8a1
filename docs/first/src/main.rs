fn main() {} // TODO: everything
// TODO: tests
