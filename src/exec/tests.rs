//! Statements over small snapshots, from their text to their rows. Each is asked three times: with all documents in one part, with one part
//! per document, and with the parts in reverse; the answers must be the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::chunk::{AnyPart, Lexicon, PartView, SegmentBuilder};
use crate::plan::{self, Context};
use crate::sql::{self, ast};
use crate::table::Snapshot;
use crate::text::Analyzer;
use crate::types::{Column, ColumnKind, DocId, RowId, Schema, StopToken, Value};

fn schema(columns: &[(&str, ColumnKind)]) -> Arc<Schema> {
    let columns = columns.iter().map(|&(name, kind)| Column {
        name: name.into(),
        kind,
        uid: 0,
        indexed: kind == ColumnKind::Text,
        stored: kind == ColumnKind::Text,
        attribute: kind != ColumnKind::Text,
        columnar: false,
    });
    Arc::new(Schema { version: 1, columns: columns.collect() })
}

/// The documents of an INSERT as a snapshot, `per_part` of them in each part.
fn snapshot(schema: &Arc<Schema>, insert: &str, per_part: usize) -> Snapshot {
    let Ok(ast::Statement::Insert(insert)) = sql::parse_one(insert) else { panic!("no INSERT: {insert}") };
    let rows = plan::insert::bind(&insert, schema, &[]).unwrap();
    let analyzer = Arc::new(Analyzer::new(&BTreeMap::new(), &|_| Err(std::io::ErrorKind::NotFound.into())).unwrap());
    let lexicon = Lexicon::new();
    let parts = rows.chunks(per_part).map(|rows| {
        let mut builder = SegmentBuilder::new(schema.clone());
        for (id, values) in rows {
            builder.add(&analyzer, id.unwrap(), values);
        }
        PartView::new(AnyPart::Ram(Arc::new(builder.finish(&lexicon))))
    });
    Snapshot::of(schema.clone(), analyzer.clone(), parts)
}

/// The result of `sql` as lines of `|`-separated cells, or the error.
fn ask(sql: &str, snapshot: &Snapshot) -> String {
    let context = ExecContext::new(StopToken::new());
    let names = Context::of_table("t", Some(&snapshot.analyzer));
    let run = || -> Result<Vec<select::SelectResult>, String> {
        let ast::Statement::Select(select) = sql::parse_one(sql).map_err(|e| e.to_string())? else { return Err("no SELECT".into()) };
        if select.from.is_empty() {
            let plan = plan::select::bind_constant(&select, &names).map_err(|e| e.to_string())?;
            return Ok(vec![constant::run(&plan, &context)]);
        }
        let mut plans = vec![plan::select::bind(&select, &snapshot.schema, &names).map_err(|e| e.to_string())?];
        plans.extend(plan::select::bind_facets(&select, &snapshot.schema, &names).map_err(|e| e.to_string())?);
        plans.iter().map(|plan| select::run(plan, snapshot, &context).map_err(|e| e.to_string())).collect()
    };
    let cell = |v: &Value| v.text().map_or("NULL".to_owned(), |t| t.into_owned());
    let line = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<_>>().join("|");
    match run() {
        Ok(results) => {
            let result = |r: &select::SelectResult| r.rows.iter().map(line).collect::<Vec<_>>().join("\n");
            results.iter().map(result).collect::<Vec<_>>().join("\n--\n")
        }
        Err(error) => format!("error: {error}"),
    }
}

/// Asks each statement of `cases` in all three layouts.
fn check(columns: &[(&str, ColumnKind)], insert: &str, cases: &[(&str, &str)]) {
    let schema = schema(columns);
    let whole = snapshot(&schema, insert, usize::MAX);
    let split = snapshot(&schema, insert, 1);
    let mut reversed = split.clone();
    reversed.parts.reverse();
    for (sql, answer) in cases {
        for snapshot in [&whole, &split, &reversed] {
            assert_eq!(ask(sql, snapshot), *answer, "{sql}");
        }
    }
}

use ColumnKind::{Bigint, Float, Json, Multi, String as Str, Text, Uint};

#[test]
fn filters_over_numbers_and_strings() {
    check(
        &[("title", Text), ("n", Uint), ("f", Float), ("s", Str), ("b", Bigint)],
        "INSERT INTO t (id,title,n,f,s,b) VALUES (1,'one',10,1.5,'Ann',-5),(2,'two',20,2.1,'bob',9000000000000000000),(3,'three',30,0,'',0)",
        &[
            ("SELECT id FROM t WHERE n=20", "2"),
            ("SELECT id FROM t WHERE n='20'", "2"),
            ("SELECT id FROM t WHERE 15 < n", "2\n3"),
            ("SELECT id FROM t WHERE n BETWEEN 10 AND 20", "1\n2"),
            ("SELECT id FROM t WHERE n NOT BETWEEN 10 AND 20", "3"),
            ("SELECT id FROM t WHERE n IN (10,30)", "1\n3"),
            ("SELECT id FROM t WHERE n NOT IN (10,30)", "2"),
            ("SELECT id FROM t WHERE n=10 OR f=2.1", "1\n2"),
            ("SELECT id FROM t WHERE NOT n=10", "2\n3"),
            ("SELECT id FROM t WHERE n>9.5 AND f<1.6", "1\n3"),
            ("SELECT id FROM t WHERE s='ann'", "1"),
            ("SELECT id FROM t WHERE s IN ('BOB','x')", "2"),
            ("SELECT id FROM t WHERE s<>''", "1\n2"),
            ("SELECT id FROM t WHERE b=9000000000000000000", "2"),
            ("SELECT id FROM t WHERE b<0", "1"),
            ("SELECT id FROM t WHERE n%20=10 AND n*2>25", "3"),
            ("SELECT id FROM t WHERE id IN (3,1,77) AND n>10", "3"),
            ("SELECT id FROM t WHERE id=2 AND id=3", ""),
            ("SELECT title, f FROM t WHERE MATCH('two')", "two|2.100000"),
            ("SELECT id FROM t WHERE MATCH('two|three') AND n>20", "3"),
            ("SELECT id FROM t WHERE MATCH('two|three') AND id=3", "3"),
            ("SELECT id FROM t WHERE n='abc'", "error: table t: column 'n' is a number: it cannot be compared with 'abc'"),
            ("SELECT id FROM t WHERE s=5", "error: table t: column 's' is a string: it can only be compared with a string"),
            (
                "SELECT id FROM t WHERE title='one'",
                "error: table t: unsupported filter on field 'title' (filters are supported only on attributes, not stored fields)",
            ),
            ("SELECT id FROM t WHERE nosuch(n)=1", "error: unknown function: nosuch"),
            ("SELECT id FROM t WHERE id=9223372036854775808 OR id IN (2,18446744073709551615)", "2"),
            (
                "SELECT id FROM t WHERE b=9223372036854775808",
                "error: number 9223372036854775808 is out of range [-9223372036854775808..9223372036854775807]",
            ),
        ],
    );
}

#[test]
fn sets_and_json() {
    check(
        &[("name", Text), ("m", Multi), ("j", Json)],
        r#"INSERT INTO t (id,m,j) VALUES (1,(1,2,3),'{"color":["blue","black"],"a":true,"n":5}'),(2,(1,4),'{"color":["white"],"n":5.5}'),(3,(2,9),'{"n":"5"}'),(4,(),'')"#,
        &[
            ("SELECT id FROM t WHERE m=1 AND m=2", "1"),
            ("SELECT id FROM t WHERE ANY(m)=1", "1\n2"),
            ("SELECT id FROM t WHERE ALL(m) IN (2,9)", "3"),
            ("SELECT id FROM t WHERE ALL(m)>1", "3"),
            ("SELECT id FROM t WHERE ANY(m) NOT IN (1,2,3)", "2\n3"),
            ("SELECT id FROM t WHERE m BETWEEN 5 AND 10", "3"),
            ("SELECT id, LENGTH(m) AS l FROM t WHERE l=3", "1|3"),
            ("SELECT LEAST(m), GREATEST(m) FROM t WHERE id<3", "1|3\n1|4"),
            ("SELECT id FROM t WHERE j.color IN ('blue')", "1"),
            ("SELECT id FROM t WHERE j.color='white'", "2"),
            ("SELECT id, ANY(x='blue' FOR x IN j.color) AS c FROM t WHERE c=1", "1|1"),
            ("SELECT INDEXOF(x='black' FOR x IN j.color) AS c FROM t", "1\n-1\n-1\n-1"),
            ("SELECT id FROM t WHERE j.n=5", "1"),
            ("SELECT id FROM t WHERE j.n>5.2", "2"),
            ("SELECT id FROM t WHERE j.a IS NOT NULL", "1"),
            (
                "SELECT j.a, j.n, j.color[0], j.nosuch.deep FROM t",
                "1|5|blue|NULL\nNULL|5.500000|white|NULL\nNULL|5|NULL|NULL\nNULL|NULL|NULL|NULL",
            ),
            ("SELECT m, j FROM t WHERE id>=3", "2,9|{\"n\":\"5\"}\n|NULL"),
            ("SELECT COUNT(*) FROM t GROUP BY j.a ORDER BY COUNT(*) DESC", "3\n1"),
            ("SELECT GROUPBY() AS g, COUNT(*) AS c FROM t GROUP BY m ORDER BY g ASC", "1|2\n2|2\n3|1\n4|1\n9|1"),
            ("SELECT GROUPBY() AS g, COUNT(*) FROM t GROUP BY j.color ORDER BY g DESC", "white|1\nblue|1\nblack|1\nNULL|2"),
            ("SELECT j.n*2 FROM t WHERE id<3", "10\n11.000000"),
            ("SELECT id FROM t WHERE m='x'", "error: table t: column 'm' is a number: it cannot be compared with 'x'"),
            ("SELECT m+1 FROM t", "error: table t: arithmetic needs numbers: column 'm' is a multi-value attribute"),
        ],
    );
}

#[test]
fn groups_orders_and_limits() {
    check(
        &[("title", Text), ("y", Uint), ("f", Float), ("s", Str)],
        "INSERT INTO t (id,title,y,f,s) VALUES (1,'a x',2001,1.5,'p'),(2,'a a',2000,2.5,'P'),(3,'a',2001,0.25,'q'),(4,'b',1999,4,'q'),(5,'a b',2000,1,'r')",
        &[
            ("SELECT y, COUNT(*) AS c FROM t GROUP BY y ORDER BY c DESC, y ASC", "2000|2\n2001|2\n1999|1"),
            ("SELECT y, COUNT(*) FROM t GROUP BY y HAVING COUNT(*)>1 ORDER BY y DESC", "2001|2\n2000|2"),
            (
                "SELECT y, SUM(f), AVG(f), MIN(f), MAX(y) FROM t GROUP BY y ORDER BY y ASC LIMIT 2",
                "1999|4.000000|4.000000|4.000000|1999\n2000|3.500000|1.750000|1.000000|2000",
            ),
            ("SELECT COUNT(*), COUNT(DISTINCT s), GROUP_CONCAT(s) FROM t", "5|3|p,P,q,q,r"),
            ("SELECT s, COUNT(*) AS c FROM t GROUP BY s ORDER BY s ASC", "p|2\nq|2\nr|1"),
            ("SELECT id, y FROM t GROUP 2 BY y ORDER BY y DESC LIMIT 3", "1|2001\n3|2001\n2|2000"),
            ("SELECT y, id FROM t GROUP BY y WITHIN GROUP ORDER BY f DESC ORDER BY y ASC", "1999|4\n2000|2\n2001|1"),
            ("SELECT y, s, COUNT(*) FROM t GROUP BY y, s ORDER BY y ASC, s DESC", "1999|q|1\n2000|r|1\n2000|P|1\n2001|q|1\n2001|p|1"),
            ("SELECT y, GROUPBY(), @count FROM t GROUP BY y ORDER BY @count DESC, @groupby ASC LIMIT 1", "2000|2000|2"),
            ("SELECT id FROM t ORDER BY s ASC, f DESC", "2\n1\n4\n3\n5"),
            ("SELECT id, y+f AS z FROM t ORDER BY z DESC LIMIT 1,2", "1|2002.500000\n2|2002.500000"),
            ("SELECT id FROM t WHERE MATCH('a')", "1\n3\n5\n2"),
            ("SELECT COUNT(*) FROM t WHERE MATCH('a')", "4"),
            ("SELECT COUNT(*) FROM t WHERE y=1", "0"),
            ("SELECT COUNT(*), AVG(y), MAX(f) FROM t WHERE y=1", "0|NULL|NULL"),
            ("SELECT y, COUNT(*) FROM t WHERE y=1 GROUP BY y", ""),
            ("SELECT COUNT(*), COUNT(*) FROM t LIMIT 0", ""),
            ("SELECT id FROM t ORDER BY id DESC LIMIT 2", "5\n4"),
            ("SELECT id FROM t ORDER BY id ASC LIMIT 3 OPTION max_matches=2", "1\n2"),
            ("SELECT id FROM t LIMIT 5,1 OPTION max_matches=5", "error: offset out of bounds (offset=5, max_matches=5)"),
            ("SELECT id FROM t ORDER BY nosuch ASC", "error: table t: sort-by attribute 'nosuch' not found"),
            (
                "SELECT id FROM t WHERE COUNT(*)=1",
                "error: table t: count() is an aggregate: it can stand in the select list, HAVING and ORDER BY only",
            ),
            (
                "SELECT y FROM t ORDER BY y ASC LIMIT 1 FACET y ORDER BY COUNT(*) DESC, y ASC FACET s DISTINCT y ORDER BY s ASC",
                "1999\n--\n2000|2\n2001|2\n1999|1\n--\np|2|2\nq|2|2\nr|1|1",
            ),
            ("SELECT y DIV 10 AS dec FROM t LIMIT 1 FACET dec ORDER BY dec ASC", "200\n--\n199|1\n200|4"),
        ],
    );
}

#[test]
fn functions_and_constants() {
    check(
        &[("n", Uint)],
        "INSERT INTO t (id,n) VALUES (1,7)",
        &[
            ("SELECT 1", "1"),
            ("SELECT 1+1, 7/2, 7 DIV 2, -7%4, 1=1, 'a'", "2|3.500000|3|-3|1|a"),
            ("SELECT 1/0, 5%0", "0.000000|0"),
            ("SELECT n/2, n/n, n+0.5, SQRT(n), CEIL(n/2) FROM t", "3.500000|1.000000|7.500000|2.64575124|4"),
            ("SELECT IF(n>5,'big','small'), INTERVAL(n,5,10), IN(n,1,7), REMAP(n,0,(7,8),(70,80)) FROM t", "big|1|1|70"),
            ("SELECT CONCAT('a',TO_STRING(n)), UPPER('x'), LENGTH('abc'), SUBSTRING_INDEX('a.b.c','.',2) FROM t", "a7|X|3|a.b"),
            ("SELECT UINT64(-1), SINT(4294967295), BIGINT('12'), DOUBLE('1.5') FROM t", "18446744073709551615|-1|12|1.500000"),
            ("SELECT CONCAT('a', n) FROM t", "error: concat() takes strings: enclose numbers in TO_STRING()"),
            ("SELECT ABS(1,2) FROM t", "error: abs() takes 1 argument(s), 2 given"),
            ("SELECT n", "error: table t: unknown column: n"),
            ("SELECT n AS a, a*a AS b, b+a AS c FROM t", "7|49|56"),
        ],
    );
}

/// `x1+x1 AS x2, x2+x2 AS x3, …` doubles with each alias: it is refused, not computed.
#[test]
fn aliases_cannot_grow_without_bound() {
    let schema = schema(&[("n", Uint)]);
    let snapshot = snapshot(&schema, "INSERT INTO t (id,n) VALUES (1,7)", 1);
    let items: Vec<String> = (1..60).map(|i| format!("x{i}+x{i} AS x{}", i + 1)).collect();
    assert_eq!(
        ask(&format!("SELECT n AS x1, {} FROM t", items.join(", ")), &snapshot),
        "error: table t: 'x15' makes the statement too large"
    );
    let items: Vec<String> = (1..900).map(|i| format!("x{i}+1 AS x{}", i + 1)).collect();
    assert!(ask(&format!("SELECT n AS x1, {} FROM t", items.join(", ")), &snapshot).starts_with("error: "));
}

#[test]
fn dead_rows_edits_and_stops() {
    let schema = schema(&[("title", Text), ("n", Uint)]);
    let mut snapshot = snapshot(&schema, "INSERT INTO t (id,title,n) VALUES (1,'a',1),(2,'a',2),(3,'a',3)", usize::MAX);
    let view = &mut snapshot.parts[0];
    view.dead = view.dead.with([RowId(0)]);
    let layout = view.part.layout().clone();
    let image = Arc::new(layout.edited(view.row(RowId(2)), &schema, &[(1, Value::Int(30))]));
    view.edits = view.edits.with([(RowId(2), image)]);
    assert_eq!(ask("SELECT id, n FROM t WHERE MATCH('a')", &snapshot), "2|2\n3|30");
    assert_eq!(ask("SELECT COUNT(*) FROM t", &snapshot), "2");
    assert_eq!(ask("SELECT title FROM t WHERE n=30", &snapshot), "a");
    assert_eq!(ask("SELECT id FROM t WHERE id IN (1,2)", &snapshot), "2");

    let context = ExecContext::new(StopToken::new());
    context.stop.stop();
    let filter = plan::filter::FilterPlan::all();
    assert!(matches!(find::find_rows(&filter, &snapshot, &context), Err(ExecError::Stopped)));
}

#[test]
fn a_time_limit_ends_with_what_there_is() {
    let schema = schema(&[("n", Uint)]);
    let snapshot = snapshot(&schema, "INSERT INTO t (id,n) VALUES (1,1),(2,2)", 1);
    let Ok(ast::Statement::Select(select)) = sql::parse_one("SELECT id FROM t WHERE n>0") else { panic!() };
    let plan = plan::select::bind(&select, &schema, &Context::of_table("t", None)).unwrap();
    let mut context = ExecContext::new(StopToken::new());
    context.deadline = Some(std::time::Instant::now());
    let result = select::run(&plan, &snapshot, &context).unwrap();
    assert!(result.rows.is_empty() && result.meta.incomplete);
}

#[test]
fn cutoff_counts_matches() {
    let schema = schema(&[("n", Uint)]);
    let snapshot = snapshot(&schema, "INSERT INTO t (id,n) VALUES (1,1),(2,2),(3,3)", 1);
    assert_eq!(ask("SELECT id FROM t WHERE n>1 OPTION cutoff=1", &snapshot), "2");
    assert_eq!(ask("SELECT COUNT(*) FROM t OPTION cutoff=2", &snapshot), "2");
}

fn update(sql: &str, snapshot: &Snapshot) -> Result<Vec<find::Change>, String> {
    let Ok(ast::Statement::Update(update)) = sql::parse_one(sql) else { panic!("no UPDATE: {sql}") };
    let context = Context::of_table("t", Some(&snapshot.analyzer));
    let plan = plan::update::bind(&update, &snapshot.schema, &context).map_err(|e| e.to_string())?;
    find::find_updates(&plan, snapshot, &ExecContext::new(StopToken::new())).map_err(|e| e.to_string())
}

#[test]
fn updates_find_their_rows_and_values() {
    let schema = schema(&[("title", Text), ("n", Uint), ("m", Multi), ("j", Json)]);
    let insert = r#"INSERT INTO t (id,title,n,m,j) VALUES (1,'a',1,(1),'{"k":[1,2]}'),(2,'b',2,(2),'{}')"#;
    let snapshot = snapshot(&schema, insert, 1);
    assert_eq!(
        update("UPDATE t SET n=5, m=(3,1,3) WHERE n=2", &snapshot),
        Ok(vec![(DocId(2), vec![(1, Value::Int(5)), (2, Value::Mva(vec![1, 3]))])])
    );
    let edited = update("UPDATE t SET j.k[1]=7", &snapshot).unwrap();
    assert_eq!(edited.len(), 1);
    assert_eq!(edited[0].1[0].1.text().as_deref(), Some(r#"{"k":[1,7]}"#));
    assert_eq!(update("UPDATE t SET n='abc' WHERE id=1", &snapshot), Err("table t: column 'n': 'abc' is no whole number".into()));
    assert_eq!(
        update("UPDATE t SET title='x' WHERE id=1", &snapshot),
        Err("table t: attribute 'title' can not be updated (full-text field): use REPLACE to write the whole document".into())
    );
    assert_eq!(update("UPDATE t SET nosuch=1 WHERE id=1", &snapshot), Err("table t: attribute 'nosuch' not found".into()));
    assert_eq!(
        update("UPDATE t SET n=n+1 WHERE id=1", &snapshot),
        Err("table t: column 'n': SET takes a literal, expressions are not supported".into())
    );
    assert!(update("UPDATE t SET j.k='x' WHERE id=1", &snapshot).is_err());
}

#[test]
fn replaced_rows_are_checked_again() {
    let schema = schema(&[("title", Text), ("n", Uint)]);
    let snapshot = snapshot(&schema, "INSERT INTO t (id,title,n) VALUES (1,'green tea',1),(2,'black tea',2)", usize::MAX);
    let meant = |condition: &str| -> Vec<bool> {
        let Ok(ast::Statement::Delete(delete)) = sql::parse_one(&format!("DELETE FROM t WHERE {condition}")) else { panic!() };
        let filter = plan::filter::bind_delete(&delete, &schema, &Context::of_table("t", Some(&snapshot.analyzer))).unwrap();
        let context = ExecContext::new(StopToken::new());
        let found = find::find_rows(&filter, &snapshot, &context).unwrap();
        let recheck = find::recheck(&filter, &context);
        let again: Vec<bool> = [0, 1].map(|row| recheck(&snapshot.parts[0], RowId(row))).to_vec();
        assert_eq!(again, [1, 2].map(|id| found.contains(&DocId(id))), "{condition}");
        again
    };
    assert_eq!(meant("n=2"), [false, true]);
    assert_eq!(meant("id=1"), [true, false]);
    assert_eq!(meant("MATCH('tea -green')"), [false, true]);
    assert_eq!(meant("MATCH('tea') AND n<2"), [true, false]);
}
