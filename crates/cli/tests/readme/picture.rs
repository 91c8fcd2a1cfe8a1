//! Draws a terminal session as a picture.

/// A command and its output.
pub(crate) struct Shown {
    command: String,
    printed: Vec<String>,
}

/// Characters per line.
const COLUMNS: usize = 100;

/// Sizes in pixels: width of a character, height of a line, border, title bar.
const LETTER: f32 = 8.4;
const LINE: usize = 21;
const BORDER: usize = 20;
const BAR: usize = 36;

impl Shown {
    pub(crate) fn new(command: &str, printed: &[String]) -> Self {
        Shown { command: command.to_owned(), printed: printed.to_vec() }
    }
}

/// Draws the whole picture.
pub(crate) fn draw(shown: &[Shown]) -> String {
    let mut lines: Vec<(String, &str)> = Vec::new();
    for (number, step) in shown.iter().enumerate() {
        if number > 0 {
            lines.push((String::new(), "out"));
        }
        lines.extend(wrapped(&format!("$ {}", step.command)).map(|line| (line, "command")));
        for line in &step.printed {
            let class = class_of(line, &step.command);
            lines.extend(wrapped(line).map(|line| (line, class)));
        }
    }
    let width = (COLUMNS as f32 * LETTER) as usize + 2 * BORDER;
    let height = BAR + lines.len() * LINE + BORDER;
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="A terminal session with cofferdam">
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
.command {{ fill: #e6edf3; font-weight: 600 }} .out {{ fill: #9da7b3 }} .source {{ fill: #a5d6ff }}
.error {{ fill: #ff7b72 }} .question {{ fill: #f2cc60 }} .hint {{ fill: #56d4dd }} .good {{ fill: #7ee787 }}
</style>
<rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>
<circle cx="22" cy="18" r="6" fill="#ff5f57"/><circle cx="42" cy="18" r="6" fill="#febc2e"/><circle cx="62" cy="18" r="6" fill="#28c840"/>
"##
    );
    for (number, (line, class)) in lines.iter().enumerate() {
        let y = BAR + number * LINE + 15;
        // The width of every line is given, so that other fonts do not run over the edge.
        let length = (line.chars().count() as f32 * LETTER).round();
        if !line.is_empty() {
            svg += &format!(
                "<text x=\"{BORDER}\" y=\"{y}\" class=\"{class}\" xml:space=\"preserve\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
                escaped(line)
            );
        }
    }
    svg + "</svg>\n"
}

fn class_of(line: &str, command: &str) -> &'static str {
    match line {
        line if line.starts_with("error:") => "error",
        line if line.starts_with("hint:") => "hint",
        line if line.contains(" wants to ") || line.starts_with("  [o] ") => "question",
        line if line.starts_with("     ") && command.contains(" --ask") => "out",
        // Output for programs, or a stack.
        line if line.starts_with("{\"code\"") || line.starts_with("    at ") => "out",
        _ if command.starts_with("cat ") => "source",
        _ if command.starts_with("cofferdam ") => "good",
        _ => "out",
    }
}

fn wrapped(line: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = line.chars().collect();
    let pieces: Vec<String> = letters.chunks(COLUMNS).map(|piece| piece.iter().collect()).collect();
    let is_empty = pieces.is_empty();
    pieces.into_iter().chain(is_empty.then(String::new))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
