function validate(input) {
  if (!input.ok) {
    console.error('invalid input');
    process.exit(3);
  }
}
try {
  validate({ ok: false });
  console.log('unreachable');
} catch (error) {
  console.log('must not be caught');
} finally {
  console.log('must not run');
}
