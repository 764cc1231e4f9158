//! The query tree to a match plan.

use std::collections::HashMap;

use super::{BindError, BindOptions, FieldSet, Leaf, LookUp, MatchNode, MatchPlan, MatchWord, PhraseWord, QueryWords};
use crate::query::{FieldLimit, LimitKind, Node, Phrase, PhraseItem, PhraseKind, Piece, Query, QueryError, Threshold, Word};
use crate::types::{ColumnKind, PatternPiece, Schema, WordPattern};

/// Binds `query` to a table with `schema` whose text is processed by `words`.
///
/// An empty query gives a plan that matches every row. A query of stopwords alone matches none.
pub fn bind(query: &Query, schema: &Schema, words: &dyn QueryWords, options: BindOptions) -> Result<MatchPlan, BindError> {
    let field_count = schema.field_count();
    let mut binder = Binder {
        schema,
        field_count,
        text: words,
        options,
        relaxed: query.relaxed,
        words: Vec::new(),
        known: HashMap::new(),
        next: 1,
        last_fields: FieldSet::default(),
    };
    let root = match &query.root {
        None => MatchNode::All(FieldSet::default()),
        Some(root) => binder.root(root)?,
    };
    Ok(MatchPlan { root, words: binder.words, field_count, query_words: binder.next - 1 })
}

/// Typed form, boost and look-up of a word: what makes it distinct.
type WordKey = (String, u32, String);

struct Binder<'a> {
    schema: &'a Schema,
    field_count: usize,
    text: &'a dyn QueryWords,
    options: BindOptions,
    relaxed: bool,
    words: Vec<MatchWord>,
    known: HashMap<WordKey, usize>,
    /// Query position of the next word.
    next: u32,
    /// Fields where the last word that was bound may be found.
    last_fields: FieldSet,
}

/// What a typed word became.
struct Bound {
    /// Alternatives at one position; one but for `expand_keywords`.
    forms: Vec<Leaf>,
    /// Position of the word behind the first position of the typed one.
    offset: u32,
}

impl Binder<'_> {
    fn root(&mut self, root: &Node) -> Result<MatchNode, BindError> {
        let negations = match root {
            Node::Not(_) => Some("single NOT operator"),
            Node::And(list) if list.iter().all(|n| matches!(n, Node::Not(_))) => Some("node consists of NOT operators only"),
            _ => None,
        };
        if let Some(which) = negations {
            if !self.options.not_terms_only_allowed {
                return Err(QueryError::NonComputable(which).into());
            }
            let mut not = Vec::new();
            for node in negated(root) {
                not.extend(self.node(node)?);
            }
            // The rows that are left weigh by the field limit in force at the end of the query, as recorded.
            let all = MatchNode::All(self.last_fields);
            return Ok(if not.is_empty() { all } else { MatchNode::AndNot(Box::new(all), not) });
        }
        Ok(self.node(root)?.unwrap_or(MatchNode::Nothing))
    }

    /// None where a node consists of stopwords only: then it is as if it were not there.
    fn node(&mut self, node: &Node) -> Result<Option<MatchNode>, BindError> {
        Ok(match node {
            Node::Word(word) => self.word(word)?,
            Node::Phrase(phrase) => self.phrase(phrase)?,
            Node::And(list) => self.and(list)?,
            Node::Within(_, list) => {
                // No table keeps sentences or paragraphs, and without them the operator is an AND.
                let list = self.list(list)?;
                several(list, MatchNode::And)
            }
            Node::Or(list) => {
                let list = self.list(list)?;
                several(list, MatchNode::Or)
            }
            Node::Before(list) => {
                let list = self.list(list)?;
                several(list, MatchNode::Before)
            }
            Node::Not(_) => return Err(QueryError::NonComputable("single NOT operator").into()),
            Node::Maybe(left, right) => self.pair(left, 0, right, MatchNode::Maybe)?,
            // NEAR takes a position in the query, as recorded.
            Node::Near(left, right, n) => self.pair(left, 1, right, |a, b| MatchNode::Near(a, b, *n))?,
            Node::NotNear(left, right, n) => self.pair(left, 1, right, |a, b| MatchNode::NotNear(a, b, *n))?,
        })
    }

    fn list(&mut self, list: &[Node]) -> Result<Vec<MatchNode>, BindError> {
        let mut out = Vec::with_capacity(list.len());
        for node in list {
            out.extend(self.node(node)?);
        }
        Ok(out)
    }

    fn pair(
        &mut self,
        left: &Node,
        gap: u32,
        right: &Node,
        join: impl FnOnce(Box<MatchNode>, Box<MatchNode>) -> MatchNode,
    ) -> Result<Option<MatchNode>, BindError> {
        let left = self.node(left)?;
        self.next = self.next.saturating_add(gap);
        Ok(match (left, self.node(right)?) {
            (Some(left), Some(right)) => Some(join(Box::new(left), Box::new(right))),
            (left, right) => left.or(right),
        })
    }

    fn and(&mut self, list: &[Node]) -> Result<Option<MatchNode>, BindError> {
        let (mut wanted, mut not) = (Vec::new(), Vec::new());
        // In the order of the text, since query positions are given out on the way.
        for node in list {
            match node {
                Node::Not(inner) => not.extend(self.node(inner)?),
                node => wanted.extend(self.node(node)?),
            }
        }
        if list.iter().all(|n| matches!(n, Node::Not(_))) {
            return Err(QueryError::NonComputable("node consists of NOT operators only").into());
        }
        let combine = if self.options.implicit_or { MatchNode::Or } else { MatchNode::And };
        let wanted = match several(wanted, combine) {
            Some(node) => node,
            None if not.is_empty() => return Ok(None),
            None => MatchNode::Nothing,
        };
        Ok(Some(if not.is_empty() { wanted } else { MatchNode::AndNot(Box::new(wanted), not) }))
    }

    /// A word outside quotes. Where it turns out to be several (`l?ve` in a table without wildcards), all must match.
    fn word(&mut self, word: &Word) -> Result<Option<MatchNode>, BindError> {
        let fields = self.fields(&word.limit)?;
        let bound = self.typed(word, fields, word.exact, self.options.expand_keywords);
        let nodes = bound.into_iter().filter_map(|b| several(b.forms.into_iter().map(MatchNode::Leaf).collect(), MatchNode::Or)).collect();
        Ok(several(nodes, MatchNode::And))
    }

    fn phrase(&mut self, phrase: &Phrase) -> Result<Option<MatchNode>, BindError> {
        let fields = self.fields(&phrase.limit)?;
        let mut words: Vec<PhraseWord> = Vec::new();
        let first = self.next;
        for item in &phrase.items {
            match item {
                PhraseItem::AnyWord => self.next = self.next.saturating_add(1),
                PhraseItem::Word(word) => {
                    for bound in self.typed(word, fields, word.exact, false) {
                        let offset = bound.offset - first;
                        words.extend(bound.forms.into_iter().map(|leaf| PhraseWord { leaf, offset }));
                    }
                }
            }
        }
        let shift = words.first().map_or(0, |w| w.offset);
        words.iter_mut().for_each(|w| w.offset -= shift);
        let leaves = |words: Vec<PhraseWord>| words.into_iter().map(|w| w.leaf).collect::<Vec<_>>();
        Ok(match (words.len(), phrase.kind) {
            (0, _) => None,
            (1, PhraseKind::Phrase | PhraseKind::Proximity(_)) => words.pop().map(|w| MatchNode::Leaf(w.leaf)),
            (_, PhraseKind::Phrase) => Some(MatchNode::Phrase(words)),
            (_, PhraseKind::Proximity(distance)) => Some(MatchNode::Proximity(leaves(words), distance)),
            (count, PhraseKind::Quorum(threshold)) => {
                let need = match threshold {
                    Threshold::Count(n) => n as usize,
                    // The share of the words, rounded up, but never none of them.
                    Threshold::Share(share) => (count as f32 * share).ceil() as usize,
                };
                let leaves = leaves(words);
                if need >= count {
                    several(leaves.into_iter().map(MatchNode::Leaf).collect(), MatchNode::And)
                } else {
                    Some(MatchNode::Quorum(leaves, need.max(1) as u32))
                }
            }
        })
    }

    /// The fields that a limit allows.
    fn fields(&self, limit: &FieldLimit) -> Result<FieldSet, BindError> {
        Ok(match &limit.kind {
            LimitKind::All => FieldSet::all(self.field_count),
            LimitKind::Only(names) => self.named(names)?,
            LimitKind::Except(names) => self.named(names)?.complement(self.field_count),
        })
    }

    fn named(&self, names: &[String]) -> Result<FieldSet, BindError> {
        let mut set = FieldSet::default();
        for name in names {
            match self.schema.fields().find(|(_, column)| self.schema.columns[*column].name == *name) {
                Some((field, _)) => set.insert(field),
                None if self.relaxed || self.is_only_stored(name) => {}
                None => return Err(BindError::UnknownField(name.clone())),
            }
        }
        Ok(set)
    }

    /// Whether a name is that of a text that is kept and not searched: a limit to it is right, and there is nothing to find.
    fn is_only_stored(&self, name: &str) -> bool {
        self.schema.find(name).is_some_and(|index| {
            let column = &self.schema.columns[index];
            column.kind == ColumnKind::Text && !column.attribute
        })
    }

    /// The words of a typed word, in order.
    fn typed(&mut self, word: &Word, fields: FieldSet, exact: bool, expand: bool) -> Vec<Bound> {
        let exact = (exact || self.options.exact_forms) && self.text.index_exact_words();
        let mut out = Vec::new();
        let wildcards = self.text.min_infix_len() > 0 || self.text.min_prefix_len() > 0;
        let pieces = self.allowed(&word.pieces);
        if wildcards && pieces.iter().any(|p| !matches!(p, Piece::Text(_))) {
            let form = self.pattern(pieces, exact, word.boost);
            self.push(&mut out, vec![form], self.next, word, fields);
            self.next = self.next.saturating_add(1);
        } else {
            for piece in pieces {
                let Piece::Text(text) = piece else { continue };
                let (tokens, used) = self.text.words(text);
                let base = self.next - 1;
                let mut last = 0;
                for token in tokens {
                    if token.position == last {
                        // A further form of the token before it, which documents have at the same place.
                        continue;
                    }
                    last = token.position;
                    let mut forms = Vec::new();
                    if exact {
                        forms.push(self.plain(&token.tokenized, format!("={}", token.tokenized), word.boost));
                    } else {
                        forms.push(self.plain(&token.tokenized, token.normalized.clone(), word.boost));
                        if expand {
                            self.expanded(&token.tokenized, word.boost, &mut forms);
                        }
                    }
                    self.push(&mut out, forms, base.saturating_add(token.position), word, fields);
                }
                self.next = self.next.saturating_add(used);
            }
        }
        // `^` belongs to the first word and `$` to the last.
        let count = out.len();
        for (i, bound) in out.iter_mut().enumerate() {
            for leaf in &mut bound.forms {
                leaf.start = word.start && i == 0;
                leaf.end = word.end && i + 1 == count;
            }
        }
        out
    }

    fn push(&mut self, out: &mut Vec<Bound>, forms: Vec<usize>, position: u32, word: &Word, fields: FieldSet) {
        self.last_fields = fields;
        let max_position = word.limit.max_position;
        let leaf = |form| Leaf { word: form, position, fields, max_position, start: false, end: false };
        out.push(Bound { forms: forms.into_iter().map(leaf).collect(), offset: position });
    }

    /// The further forms that `expand_keywords` gives a word.
    fn expanded(&mut self, tokenized: &str, boost: f32, forms: &mut Vec<usize>) {
        if self.text.index_exact_words() {
            forms.push(self.plain(tokenized, format!("={tokenized}"), boost));
        }
        let length = tokenized.chars().count();
        let text = Piece::Text(tokenized.to_owned());
        let pieces = if self.text.min_infix_len() > 0 && length >= self.text.min_infix_len() as usize {
            vec![Piece::Any, text, Piece::Any]
        } else if self.text.min_prefix_len() > 0 && length >= self.text.min_prefix_len() as usize {
            vec![text, Piece::Any]
        } else {
            return;
        };
        forms.push(self.pattern(&pieces, false, boost));
    }

    /// The pieces without a leading wildcard where the table allows prefixes only.
    fn allowed<'p>(&self, pieces: &'p [Piece]) -> &'p [Piece] {
        if self.text.min_infix_len() > 0 {
            return pieces;
        }
        let first = pieces.iter().position(|p| matches!(p, Piece::Text(_))).unwrap_or(0);
        &pieces[first..]
    }

    /// A word found by pattern.
    fn pattern(&mut self, pieces: &[Piece], exact: bool, boost: f32) -> usize {
        let (infix, prefix) = (self.text.min_infix_len() as usize, self.text.min_prefix_len() as usize);
        let mut shown = if exact { "=".to_owned() } else { String::new() };
        let mut out: Vec<PatternPiece> = Vec::new();
        // Wildcards stand for words as they were typed: exact forms where the dictionary has them beside stems.
        if self.text.index_exact_words() {
            out.push(PatternPiece::Literal("=".to_owned()));
        }
        let (mut head, mut longest) = (0, 0);
        for (i, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    let folded = self.text.fold(text);
                    let length = folded.chars().count();
                    longest = longest.max(length);
                    if i == 0 {
                        head = length;
                    }
                    shown.push_str(&folded);
                    match out.last_mut() {
                        Some(PatternPiece::Literal(before)) => before.push_str(&folded),
                        _ => out.push(PatternPiece::Literal(folded)),
                    }
                }
                Piece::Any => {
                    shown.push('*');
                    out.push(PatternPiece::Any);
                }
                Piece::One => {
                    shown.push('?');
                    out.push(PatternPiece::One);
                }
                Piece::Maybe => {
                    shown.push('%');
                    out.push(PatternPiece::Maybe);
                }
            }
        }
        let long_enough = (infix > 0 && longest >= infix) || (prefix > 0 && head >= prefix);
        let look_up = if long_enough { LookUp::Pattern(WordPattern { pieces: out }) } else { LookUp::Nothing };
        let key = (shown.clone(), boost.to_bits(), String::new());
        self.distinct(key, MatchWord { shown, look_up, boost })
    }

    /// A word found as it is.
    fn plain(&mut self, tokenized: &str, entry: String, boost: f32) -> usize {
        let key = (tokenized.to_owned(), boost.to_bits(), entry.clone());
        self.distinct(key, MatchWord { shown: entry.clone(), look_up: LookUp::Word(entry), boost })
    }

    fn distinct(&mut self, key: WordKey, word: MatchWord) -> usize {
        let next = self.words.len();
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.words.push(word);
        }
        index
    }
}

/// What the negations of a query of negations alone negate.
fn negated(root: &Node) -> Vec<&Node> {
    match root {
        Node::Not(inner) => vec![inner],
        Node::And(list) => list.iter().flat_map(negated).collect(),
        _ => Vec::new(),
    }
}

/// None, the only one, or a list.
fn several(mut list: Vec<MatchNode>, join: impl FnOnce(Vec<MatchNode>) -> MatchNode) -> Option<MatchNode> {
    match list.len() {
        0 => None,
        1 => list.pop(),
        _ => Some(join(list)),
    }
}
