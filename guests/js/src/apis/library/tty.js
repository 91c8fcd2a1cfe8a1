// `tty`: nothing in the sandbox is a terminal.
export default { isatty: () => false };
