//! What is left in English on a screen of words that the table of sentences has in Chinese.

/// Every five words in a row of a sentence of the table that stand in a row of the screen.
pub fn left(screen: &str) -> Vec<String> {
    let mut out = Vec::new();
    for piece in assay_said::sentences().flat_map(|s| s.split(['{', '}'])) {
        let words: Vec<&str> = piece.split_whitespace().collect();
        for five in words.windows(5) {
            let five = five.join(" ");
            if screen.contains(&five) && !out.contains(&five) {
                out.push(five);
            }
        }
    }
    out
}
