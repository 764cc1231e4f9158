//! OPTION of SELECT, UPDATE and DELETE.

use super::PlanError;
use super::matching::BindOptions;
use crate::sql::ast::OptionValue;

/// How many of the best matches are kept where OPTION max_matches says nothing.
pub const DEFAULT_MAX_MATCHES: u64 = 1_000;

/// What OPTION says about a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// Best matches that LIMIT can reach into.
    pub max_matches: u64,
    /// Matches after which the search ends; None = never.
    pub cutoff: Option<u64>,
    /// Milliseconds after which the search ends with what it has; None = never.
    pub max_query_time_ms: Option<u64>,
    /// Name of the ranker, folded, and the formula of `expr('…')`.
    pub ranker: Option<(String, Option<String>)>,
    /// Weight per full-text field, by name.
    pub field_weights: Vec<(String, i64)>,
    /// A query of negations alone is allowed.
    pub not_terms_only_allowed: bool,
    /// `morphology=none`.
    pub exact_forms: bool,
    /// `boolean_mode='or'`.
    pub implicit_or: bool,
    /// `expand_keywords=1`.
    pub expand_keywords: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            max_matches: DEFAULT_MAX_MATCHES,
            cutoff: None,
            max_query_time_ms: None,
            ranker: None,
            field_weights: Vec::new(),
            not_terms_only_allowed: false,
            exact_forms: false,
            implicit_or: false,
            expand_keywords: false,
        }
    }
}

impl SearchOptions {
    /// The part that decides how a query is bound.
    pub fn bind_options(&self) -> BindOptions {
        BindOptions {
            not_terms_only_allowed: self.not_terms_only_allowed,
            exact_forms: self.exact_forms,
            implicit_or: self.implicit_or,
            expand_keywords: self.expand_keywords,
        }
    }
}

/// Options of the dialect that ask for what always holds here (exact groups, any number of threads) or that only hint at speed.
const WITHOUT_EFFECT: &[&str] = &[
    "accurate_aggregation",
    "boolean_simplify",
    "comment",
    "distinct_precision_threshold",
    "local_df",
    "low_priority",
    "max_matches_increase_threshold",
    "sort_method",
    "threads",
];

/// Options of the dialect that would change the answer and are missing.
const NOT_BUILT: &[&str] = &[
    "agent_query_timeout",
    "expand_blended",
    "expansion_limit",
    "facet_filter_mode",
    "fusion_method",
    "fusion_weights",
    "global_idf",
    "idf",
    "index_weights",
    "jieba_mode",
    "rand_seed",
    "rank_constant",
    "retry_count",
    "retry_delay",
    "scroll",
    "token_filter",
    "window_size",
];

/// Reads the options of a SELECT. Unknown names and values of the wrong kind are errors.
pub fn search(options: &[(String, OptionValue)]) -> Result<SearchOptions, PlanError> {
    let mut out = SearchOptions::default();
    for (name, value) in options {
        match name.as_str() {
            "max_matches" => {
                out.max_matches = count(name, value)?;
                if out.max_matches == 0 {
                    return Err(PlanError::rejected("option max_matches must be 1 or more"));
                }
            }
            "cutoff" => out.cutoff = Some(count(name, value)?).filter(|&n| n > 0),
            "max_query_time" => out.max_query_time_ms = Some(count(name, value)?).filter(|&n| n > 0),
            "ranker" => out.ranker = Some(ranker(value)?),
            "field_weights" => match value {
                OptionValue::Weights(weights) => out.field_weights = weights.clone(),
                _ => return Err(PlanError::rejected("option field_weights takes (field=weight, …)")),
            },
            "not_terms_only_allowed" => out.not_terms_only_allowed = switch(name, value)?,
            "expand_keywords" => out.expand_keywords = switch(name, value)?,
            "morphology" => match word(value) {
                Some("none") => out.exact_forms = true,
                _ => return Err(PlanError::rejected("option morphology takes none")),
            },
            "boolean_mode" => match word(value) {
                Some("or") => out.implicit_or = true,
                Some("and") => out.implicit_or = false,
                _ => return Err(PlanError::rejected("option boolean_mode takes and, or")),
            },
            name if WITHOUT_EFFECT.contains(&name) => {}
            name if NOT_BUILT.contains(&name) => return Err(PlanError::not_built(format!("option {name}"))),
            name => return Err(PlanError::rejected(format!("unknown option '{name}'"))),
        }
    }
    Ok(out)
}

/// Checks the options of an UPDATE or DELETE, of which none changes what is done.
pub fn write(options: &[(String, OptionValue)]) -> Result<(), PlanError> {
    for (name, value) in options {
        match name.as_str() {
            "comment" => {}
            // Values that do not fit are errors in any case.
            "strict" | "ignore_nonexistent_columns" => {
                if name == "ignore_nonexistent_columns" && switch(name, value)? {
                    return Err(PlanError::not_built(format!("option {name}")));
                }
            }
            name => return Err(PlanError::rejected(format!("unknown option '{name}'"))),
        }
    }
    Ok(())
}

fn word(value: &OptionValue) -> Option<&str> {
    match value {
        OptionValue::Word(word) | OptionValue::Text(word) => Some(word),
        OptionValue::Int(_) | OptionValue::Float(_) | OptionValue::Weights(_) | OptionValue::Call(..) => None,
    }
}

fn count(name: &str, value: &OptionValue) -> Result<u64, PlanError> {
    match value {
        OptionValue::Int(n) if *n >= 0 => Ok(*n as u64),
        _ => Err(PlanError::rejected(format!("option {name} takes a whole number, 0 or more"))),
    }
}

fn switch(name: &str, value: &OptionValue) -> Result<bool, PlanError> {
    match value {
        OptionValue::Int(0) => Ok(false),
        OptionValue::Int(1) => Ok(true),
        _ => Err(PlanError::rejected(format!("option {name} takes 0 or 1"))),
    }
}

fn ranker(value: &OptionValue) -> Result<(String, Option<String>), PlanError> {
    match value {
        OptionValue::Word(name) | OptionValue::Text(name) => Ok((name.to_ascii_lowercase(), None)),
        OptionValue::Call(name, formula) => Ok((name.to_ascii_lowercase(), Some(formula.clone()))),
        OptionValue::Int(_) | OptionValue::Float(_) | OptionValue::Weights(_) => Err(PlanError::rejected("option ranker takes a name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let one = |name: &str, value| search(&[(name.to_owned(), value)]);
        assert_eq!(one("max_matches", OptionValue::Int(2)).unwrap().max_matches, 2);
        assert_eq!(one("cutoff", OptionValue::Int(0)).unwrap().cutoff, None);
        assert!(one("comment", OptionValue::Text("x".into())).is_ok());
        assert_eq!(one("nosuch", OptionValue::Int(2)).unwrap_err().to_string(), "unknown option 'nosuch'");
        assert_eq!(one("scroll", OptionValue::Int(1)).unwrap_err().to_string(), "option scroll is not built yet");
        assert_eq!(one("max_matches", OptionValue::Int(-2)).unwrap_err().to_string(), "option max_matches takes a whole number, 0 or more");
    }
}
