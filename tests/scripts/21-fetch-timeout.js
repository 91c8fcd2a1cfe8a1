const base = process.argv[2];
async function main() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 50);
  try {
    await fetch(`${base}/slow`, { signal: controller.signal });
    console.log('too fast');
  } catch (error) {
    console.log(error.name);
  } finally {
    clearTimeout(timer);
  }
}
main();
