//! Tokens to a tree, by recursive descent.

use std::sync::Arc;

use super::error::QueryError;
use super::lexer::{Lexer, Quoted, RawWord, Token};
use super::tree::{FieldLimit, Node, Phrase, PhraseItem, PhraseKind, Query, Threshold, Unit, Word};
use super::{MAX_DEPTH, MAX_QUORUM_WORDS, MAX_WORDS};
use crate::types::WordChars;

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token not yet taken, with its offset.
    token: Token,
    offset: usize,
    limit: Arc<FieldLimit>,
    depth: usize,
    /// Binary operators so far that nest to the left.
    chains: usize,
    words: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, chars: &'a dyn WordChars) -> Parser<'a> {
        let limit = Arc::new(FieldLimit::default());
        Parser { lexer: Lexer::new(text, chars), token: Token::End, offset: 0, limit, depth: 0, chains: 0, words: 0 }
    }

    /// The whole text.
    pub(super) fn query(mut self) -> Result<Query, QueryError> {
        let relaxed = self.lexer.relaxed();
        let mut limited = false;
        self.step(&mut limited)?;
        if self.token == Token::End && !limited {
            return Ok(Query { root: None, relaxed });
        }
        let root = self.expression()?;
        match self.token {
            Token::End => Ok(Query { root: Some(root), relaxed }),
            _ => Err(self.unexpected()),
        }
    }

    /// Reads the next token; field limits take effect here and are no tokens for the grammar.
    fn advance(&mut self) -> Result<(), QueryError> {
        self.step(&mut false)
    }

    fn step(&mut self, limited: &mut bool) -> Result<(), QueryError> {
        loop {
            let (offset, token) = self.lexer.next()?;
            match token {
                Token::Limit(limit) => {
                    self.limit = limit;
                    *limited = true;
                }
                token => {
                    (self.offset, self.token) = (offset, token);
                    return Ok(());
                }
            }
        }
    }

    /// `and (<< and | NEAR/n and | NOTNEAR/n and)*`
    fn expression(&mut self) -> Result<Node, QueryError> {
        let mut left = self.and_list()?;
        loop {
            let operator = self.token.clone();
            match operator {
                Token::Before | Token::Near(_) | Token::NotNear(_) => self.advance()?,
                _ => return Ok(left),
            }
            let right = self.and_list()?;
            refuse_not(&left)?;
            refuse_not(&right)?;
            left = match operator {
                Token::Near(n) => Node::Near(Box::new(left), Box::new(right), n),
                Token::NotNear(n) => Node::NotNear(Box::new(left), Box::new(right), n),
                _ => match left {
                    Node::Before(mut list) => {
                        list.push(right);
                        left = Node::Before(list);
                        continue;
                    }
                    left => Node::Before(vec![left, right]),
                },
            };
            self.chain()?;
        }
    }

    /// `('-'? or)+`
    fn and_list(&mut self) -> Result<Node, QueryError> {
        let mut list = Vec::new();
        loop {
            match self.token {
                Token::Not => {
                    self.advance()?;
                    list.push(match self.or_list()? {
                        // Two negations cancel out.
                        Node::Not(inner) => *inner,
                        node => Node::Not(Box::new(node)),
                    });
                }
                Token::Word(_) | Token::Quote { .. } | Token::Open => match self.or_list()? {
                    // A group of negations, or of words without operators, is the same without its parentheses.
                    Node::And(inner) => list.extend(inner),
                    node => list.push(node),
                },
                _ if list.is_empty() => return Err(self.unexpected()),
                _ => break,
            }
        }
        Ok(match list.len() {
            1 => list.remove(0),
            _ => Node::And(list),
        })
    }

    /// `unit ('|' unit | MAYBE unit)*`
    fn or_list(&mut self) -> Result<Node, QueryError> {
        let mut left = self.unit()?;
        loop {
            match self.token {
                Token::Or => {
                    self.advance()?;
                    let right = self.unit()?;
                    refuse_not(&left)?;
                    refuse_not(&right)?;
                    let mut list = alternatives(left);
                    list.extend(alternatives(right));
                    left = Node::Or(list);
                }
                Token::Maybe => {
                    self.advance()?;
                    let right = self.unit()?;
                    refuse_not(&left)?;
                    refuse_not(&right)?;
                    left = Node::Maybe(Box::new(left), Box::new(right));
                    self.chain()?;
                }
                _ => return Ok(left),
            }
        }
    }

    /// `atom (SENTENCE atom)*`, likewise PARAGRAPH.
    fn unit(&mut self) -> Result<Node, QueryError> {
        let mut left = self.atom()?;
        loop {
            let unit = match self.token {
                Token::Sentence => Unit::Sentence,
                Token::Paragraph => Unit::Paragraph,
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.atom()?;
            refuse_not(&left)?;
            refuse_not(&right)?;
            left = match left {
                Node::Within(same, mut list) if same == unit => {
                    list.push(right);
                    Node::Within(unit, list)
                }
                left => Node::Within(unit, vec![left, right]),
            };
            self.chain()?;
        }
    }

    fn atom(&mut self) -> Result<Node, QueryError> {
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Word(raw) => {
                // The limit in force where the word stands, not the one behind it.
                let limit = self.limit.clone();
                let word = self.count(raw, false, &limit)?;
                self.advance()?;
                Ok(Node::Word(word))
            }
            Token::Quote { exact } => self.quoted(exact),
            Token::Open => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(QueryError::TooDeep);
                }
                // A limit inside a group ends with it, one before the group holds in it and behind it.
                let outer = self.limit.clone();
                self.advance()?;
                let node = self.expression()?;
                if self.token != Token::Close {
                    return Err(self.unexpected());
                }
                self.limit = outer;
                self.depth -= 1;
                self.advance()?;
                Ok(node)
            }
            other => {
                self.token = other;
                Err(self.unexpected())
            }
        }
    }

    /// What follows an opening quote.
    fn quoted(&mut self, exact: bool) -> Result<Node, QueryError> {
        let limit = self.limit.clone();
        let mut items = Vec::new();
        loop {
            match self.lexer.next_quoted()? {
                Quoted::Word(raw) => items.push(PhraseItem::Word(self.count(raw, exact, &limit)?)),
                Quoted::AnyWord => items.push(PhraseItem::AnyWord),
                Quoted::Close => break,
            }
        }
        let from = self.lexer.offset();
        let kind = if self.lexer.take('~') {
            match self.lexer.number().and_then(|n| n.parse::<u32>().ok()) {
                Some(n) if n > 0 => PhraseKind::Proximity(n),
                Some(_) | None => return Err(self.bad_number("a proximity is a number of 1 or more", from)),
            }
        } else if self.lexer.take('/') {
            let number = self.lexer.number();
            let threshold = match number {
                Some(n) if n.contains('.') => n.parse::<f32>().ok().filter(|s| *s > 0.0 && *s <= 1.0).map(Threshold::Share),
                Some(n) => n.parse::<u32>().ok().filter(|n| *n > 0).map(Threshold::Count),
                None => None,
            };
            let Some(threshold) = threshold else {
                return Err(self.bad_number("a quorum is a number of 1 or more, or a share between 0.0 and 1.0", from));
            };
            if items.len() > MAX_QUORUM_WORDS {
                return Err(QueryError::TooManyQuorumWords);
            }
            PhraseKind::Quorum(threshold)
        } else {
            PhraseKind::Phrase
        };
        self.advance()?;
        Ok(Node::Phrase(Phrase { items, kind, limit }))
    }

    fn count(&mut self, raw: RawWord, exact: bool, limit: &Arc<FieldLimit>) -> Result<Word, QueryError> {
        self.words += 1;
        if self.words > MAX_WORDS {
            return Err(QueryError::TooManyWords);
        }
        let RawWord { pieces, exact: own, start, end, boost } = raw;
        Ok(Word { pieces, exact: exact || own, start, end, boost, limit: limit.clone() })
    }

    /// Counts an operator that makes the tree deeper.
    fn chain(&mut self) -> Result<(), QueryError> {
        self.chains += 1;
        if self.chains > MAX_DEPTH { Err(QueryError::TooDeep) } else { Ok(()) }
    }

    fn bad_number(&self, what: &'static str, offset: usize) -> QueryError {
        QueryError::BadNumber { what, near: self.lexer.near(offset) }
    }

    fn unexpected(&self) -> QueryError {
        let found = match &self.token {
            Token::Word(_) => "a word",
            Token::Quote { .. } => "'\"'",
            Token::Open => "'('",
            Token::Close => "')'",
            Token::Or => "'|'",
            Token::Not => "'-'",
            Token::Before => "<<",
            Token::Maybe => "MAYBE",
            Token::Near(_) => "NEAR",
            Token::NotNear(_) => "NOTNEAR",
            Token::Sentence => "SENTENCE",
            Token::Paragraph => "PARAGRAPH",
            Token::Slash => "'/'",
            Token::Tilde => "'~'",
            Token::Limit(_) => "'@'",
            Token::End => "$end",
        };
        self.lexer.unexpected(found, self.offset)
    }
}

/// The alternatives that a node is.
fn alternatives(node: Node) -> Vec<Node> {
    match node {
        Node::Or(list) => list,
        node => vec![node],
    }
}

/// Operators other than AND need operands that can be enumerated.
fn refuse_not(node: &Node) -> Result<(), QueryError> {
    match node {
        Node::Not(_) => Err(QueryError::NonComputable("NOT is not allowed within OR, MAYBE, NEAR or <<")),
        Node::And(list) if list.iter().all(|n| matches!(n, Node::Not(_))) => {
            Err(QueryError::NonComputable("node consists of NOT operators only"))
        }
        _ => Ok(()),
    }
}
