// Ranks pages of equal score (html_search_scorer). Sphinx would list them alphabetically.
// A page ranks higher if its title is shorter, or contains more words of the query, as whole words,
// or earlier. The sum is below 1, so it only orders pages of equal score.
Scorer.score = ([, title, , , score]) => {
  const heading = title.toLowerCase();
  const query = new URLSearchParams(location.search).get("q") ?? "";
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.filter((word) => heading.includes(word));
  if (found.length === 0) return score;
  const inHeading = heading.split(/[^\p{L}\p{N}_]+/u);
  const whole = found.filter((word) => inHeading.includes(word));
  const first = Math.min(...found.map((word) => heading.indexOf(word)));
  return (
    score
    + (0.5 * found.length) / words.length
    + (0.3 * whole.length) / words.length
    + 0.1 * (1 - first / heading.length)
    + 0.09 / heading.length
  );
};
