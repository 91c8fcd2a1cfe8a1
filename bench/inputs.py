"""Generates the inputs of all peers: the same bytes on every machine, written for each run."""

from pathlib import Path

LINES = 10_000
PAGE_BYTES = 300_000

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we yo za qui".split()


def write(directory):
    """Writes the inputs and returns the environment variables that name them."""
    directory = Path(directory)
    lines, page = directory / "in.txt", directory / "page.html"
    lines.write_text(shell_lines())
    page.write_text(article_page())
    return {"COFFERDAM_BENCH_INPUT": str(lines), "COFFERDAM_BENCH_PAGE": str(page)}


class Random:
    """A linear congruential generator: Python's own may change its sequence between versions."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def word(self):
        return "".join(SYLLABLES[self.below(len(SYLLABLES))] for _ in range(1 + self.below(3)))

    def sentence(self):
        words = [self.word() for _ in range(8 + self.below(14))]
        words[len(words) // 2] += ","
        return " ".join(words).capitalize() + "."

    def paragraph(self):
        return " ".join(self.sentence() for _ in range(3 + self.below(5)))


def shell_lines():
    """Returns lines `<number> <name> <text>`, a fifth of which contain an x. The counts of the ten most
    frequent names differ, so that the result does not depend on the order of ties in a sort."""
    random = Random(1)
    names = [f"user{number:02}" for number in range(40)]
    lines = []
    for number in range(LINES):
        name = names[min(random.below(40), random.below(40))]
        mark = "x" if random.below(5) == 0 else "-"
        lines.append(f"{number} {name} {mark} {random.word()} {random.below(100000)}\n")
    return "".join(lines)


def article_page():
    """Returns a page with an article and its usual surroundings: navigation, links, an aside, comments."""
    random = Random(2)
    links = "".join(f'<li><a href="/section/{n}">{random.word()}</a></li>' for n in range(40))
    body = []
    size = 0
    while size < PAGE_BYTES * 2 // 3:
        part = article_part(random, len(body))
        body.append(part)
        size += len(part)
    comments = []
    while size < PAGE_BYTES - 6000:
        part = comment(random, len(comments))
        comments.append(part)
        size += len(part)
    related = "".join(
        f'<div class="card"><a href="/story/{n}"><img src="/thumb/{n}.jpg" alt=""><h3>{random.sentence()}</h3></a></div>'
        for n in range(12)
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The long way round the lake | The Daily Example</title>
<meta name="author" content="A. Writer">
<meta name="description" content="A walk of three days, and what was found on it.">
<meta property="og:title" content="The long way round the lake">
<meta property="og:site_name" content="The Daily Example">
<meta property="article:published_time" content="2026-01-02T03:04:05Z">
<style>body {{ font: 16px serif }} .ad {{ width: 300px }}</style>
<script>window.dataLayer = [{{ page: 'story', id: 12345 }}];</script>
</head>
<body class="story">
<header class="site-header"><a class="logo" href="/">The Daily Example</a>
<nav class="menu"><ul>{links}</ul></nav></header>
<div class="ad" id="banner"><p>Advertisement</p></div>
<main id="content">
<article class="story-body">
<h1>The long way round the lake</h1>
<p class="byline">By <a rel="author" href="/people/writer">A. Writer</a>, <time datetime="2026-01-02">2 January 2026</time></p>
<div class="share"><a href="#mail">Mail</a> <a href="#print">Print</a></div>
<div class="article-text">
{''.join(body)}</div>
</article>
</main>
<aside class="sidebar"><h2>Most read</h2><ol>{links}</ol></aside>
<section class="related">{related}</section>
<section id="comments" class="comments"><h2>Comments</h2>
{''.join(comments)}</section>
<footer class="footer"><p>All of this was made up.</p><ul>{links}</ul></footer>
<script>document.body.dataset.ready = 'yes';</script>
</body>
</html>
"""


def article_part(random, number):
    if number % 9 == 8:
        return f"<h2>{random.sentence()}</h2>\n"
    if number % 14 == 13:
        return f'<figure><img src="/photo/{number}.jpg" alt="{random.word()}"><figcaption>{random.sentence()}</figcaption></figure>\n'
    if number % 17 == 16:
        return f"<blockquote><p>{random.paragraph()}</p></blockquote>\n"
    if number % 23 == 22:
        return f'<div class="ad inline"><a href="/buy/{number}">{random.sentence()}</a></div>\n'
    if number % 29 == 28:
        return "<ul>" + "".join(f"<li>{random.sentence()}</li>" for _ in range(5)) + "</ul>\n"
    text = random.paragraph()
    return f'<p>{text} <a href="/about/{number}">{random.word()}</a> &amp; <em>{random.word()}</em>. {random.sentence()}</p>\n'


def comment(random, number):
    return (
        f'<div class="comment" id="c{number}"><div class="comment-meta"><a href="/user/{number}">{random.word()}</a> '
        f'<span>{random.below(60)} minutes ago</span></div><p>{random.paragraph()}</p></div>\n'
    )
