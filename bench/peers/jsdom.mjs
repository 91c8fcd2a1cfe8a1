// Measures jsdom: a document in Node, from which Mozilla's Readability extracts the article.
import { measure, require, versionOf } from './measure.mjs';

const { JSDOM } = require('jsdom');
const Readability = require(process.env.COFFERDAM_BENCH_READABILITY);

await measure({
  peer: 'jsdom',
  version: versionOf('jsdom'),
  page(html) {
    const { window } = new JSDOM(html, { url: 'https://example.com/story' });
    const article = new Readability(window.document).parse();
    window.close();
    return article;
  },
});
