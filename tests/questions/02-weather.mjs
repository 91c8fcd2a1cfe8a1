const key = process.env.WEATHER_KEY;
if (!key) throw new Error('WEATHER_KEY is not set');
const response = await fetch(`${process.argv[2]}/weather?city=Bern&key=${key}`);
const { temperature } = await response.json();
console.log(`Bern: ${temperature} °C`);
