//! Statements and what they parse to, wrong ones and their messages, and random bytes.

use proptest::prelude::*;

use super::super::ast::*;
use super::*;

fn one(text: &str) -> Statement {
    parse_one(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn select(text: &str) -> Select {
    match one(text) {
        Statement::Select(select) => *select,
        other => panic!("{text}: {other:?}"),
    }
}

/// The expression drawn with all its parentheses.
fn draw(expr: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(draw).collect::<Vec<_>>().join(",");
    match expr {
        Expr::Int(v) => v.to_string(),
        Expr::Uint(v) => format!("{v}u"),
        Expr::Float(v) => format!("{v:?}"),
        Expr::Text(v) => format!("'{v}'"),
        Expr::Null => "null".into(),
        Expr::Parameter(n) => format!("?{n}"),
        Expr::Column(c) => c.clone(),
        Expr::Json { column, path } => path.iter().fold(column.clone(), |all, step| match step {
            JsonStep::Key(k) => format!("{all}.{k}"),
            JsonStep::Index(n) => format!("{all}[{n}]"),
        }),
        Expr::SysVar(v) => format!("@@{v}"),
        Expr::UserVar(v) => format!("@{v}"),
        Expr::Match(v) => format!("match<{v}>"),
        Expr::Unary(op, e) => format!("({op:?} {})", draw(e)),
        Expr::Binary(op, a, b) => format!("({} {op:?} {})", draw(a), draw(b)),
        Expr::In { expr, list: l, negated } => format!("({}{} in {})", draw(expr), if *negated { " not" } else { "" }, list(l)),
        Expr::Between { expr, low, high, negated } => {
            format!("({}{} between {} {})", draw(expr), if *negated { " not" } else { "" }, draw(low), draw(high))
        }
        Expr::IsNull { expr, negated } => format!("({} is{} null)", draw(expr), if *negated { " not" } else { "" }),
        Expr::Call { name, args, distinct } => format!("{name}({}{})", if *distinct { "distinct " } else { "" }, list(args)),
        Expr::Star => "*".into(),
        Expr::Subquery(_) => "(select)".into(),
        Expr::List(l) => format!("[{}]", list(l)),
        Expr::Map(m) => format!("{{{}}}", m.iter().map(|(k, v)| format!("{k}={}", draw(v))).collect::<Vec<_>>().join(",")),
    }
}

#[test]
fn expressions() {
    for (text, drawn) in [
        ("1+2*3-4", "((1 Add (2 Mul 3)) Sub 4)"),
        ("a-1", "(a Sub 1)"),
        ("year DIV 7 % 2", "((year IntDiv 7) Mod 2)"),
        ("-x^2 MOD 3", "(((Minus x) BitXor 2) Mod 3)"),
        ("a|b&c<<1+2", "(a BitOr (b BitAnd (c Shl (1 Add 2))))"),
        ("a=1 AND b=2 OR c=3 AND NOT d", "(((a Eq 1) And (b Eq 2)) Or ((c Eq 3) And (Not d)))"),
        ("a AND b AND c AND d", "((a And b) And (c And d))"),
        ("NOT a=1 AND b", "((Not (a Eq 1)) And b)"),
        ("a<>1 && b!=2 || c>=3", "(((a Ne 1) And (b Ne 2)) Or (c Ge 3))"),
        ("x BETWEEN 1+1 AND 3 AND y NOT BETWEEN 0 AND 1", "((x between (1 Add 1) 3) And (y not between 0 1))"),
        ("x IN (1,'a',-2) AND y NOT IN (3) AND z IN @v", "(((x in 1,'a',-2) And (y not in 3)) And (z in @v))"),
        ("info.nosuch.Deep IS NULL AND j['A'][0].b IS NOT NULL", "((info.nosuch.Deep is null) And (j.A[0].b is not null))"),
        ("info.cast[0]='Clint'", "(info.cast[0] Eq 'Clint')"),
        ("ANY(Genres)=5", "(any(genres) Eq 5)"),
        ("ANY(x='blue' FOR x IN metadata.color)", "any(for((x Eq 'blue'),x,metadata.color))"),
        ("COUNT(DISTINCT Year)", "count(distinct year)"),
        ("COUNT(*)", "count(*)"),
        ("MATCH('a \\'b\\' \"c\"')", "match<a 'b' \"c\">"),
        ("match(\"love\") and id<5", "(match<love> And (id Lt 5))"),
        ("HIGHLIGHT({limit=50, before_match='<b>'}, 'title')", "highlight({limit=50,before_match='<b>'},'title')"),
        ("IN(cat,1,2)+INTERVAL(y,1,2)", "(in(cat,1,2) Add interval(y,1,2))"),
        ("DATE_ADD(NOW(), INTERVAL 3 DAY)", "date_add(now(),interval(3,'day'))"),
        ("REGEX(title,'^a') AND s LIKE 'a%' AND s NOT LIKE 'b'", "((regex(title,'^a') And (s Like 'a%')) And (s NotLike 'b'))"),
        ("18446744073709551615", "18446744073709551615u"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-1.5e2", "-150.0"),
        ("- -5", "(Minus -5)"),
        ("(1,2)", "[1,2]"),
        ("()", "[]"),
        ("((a))", "a"),
        ("@@session.auto_increment_increment", "@@auto_increment_increment"),
        ("@@GLOBAL.Version_Comment", "@@version_comment"),
        ("NULL", "null"),
        ("TRUE = FALSE", "(1 Eq 0)"),
        ("`Group`.b", "group.b"),
        ("~a", "(BitNot a)"),
        ("!a", "(Not a)"),
        ("knn(v, 5, (0.5,-0.25))", "knn(v,5,[0.5,-0.25])"),
        ("GEODIST(lat,lon,0.1,0.2,{in=degrees,out=km})", "geodist(lat,lon,0.1,0.2,{in=degrees,out=km})"),
        ("x REGEXP 'a'", "(x Regexp 'a')"),
    ] {
        match &select(&format!("SELECT {text}")).items[0] {
            SelectItem::Expr { expr, text: source, .. } => {
                assert_eq!(draw(expr), drawn, "{text}");
                assert_eq!(source, text);
            }
            SelectItem::Star => panic!("{text}"),
        }
    }
}

#[test]
fn clauses() {
    let s = select(
        "SELECT *, Year*2 AS Y2, info.genres[0] g FROM Manticore.Movies, `b` WHERE MATCH('@plot war') AND y>1 GROUP 3 BY decade, g \
         WITHIN GROUP ORDER BY year DESC, id ASC HAVING c > 3000 ORDER BY weight() DESC, id LIMIT 5,10 \
         OPTION max_matches=5, field_weights=(title=5, plot=2), ranker=expr('sum(lcs)'), Cutoff=-1, x=PROXIMITY, t='a', f=0.5 \
         FACET decade AS d BY year DISTINCT id ORDER BY COUNT(*) DESC LIMIT 3 OFFSET 1, FACET genres",
    );
    assert_eq!(s.items.len(), 3);
    assert!(matches!(&s.items[1], SelectItem::Expr { alias: Some(a), text, .. } if a == "y2" && text == "Year*2"));
    assert!(matches!(&s.items[2], SelectItem::Expr { alias: Some(a), text, .. } if a == "g" && text == "info.genres[0]"));
    assert_eq!(s.from, ["movies", "b"]);
    assert_eq!((s.group_rows, s.group_by.len(), s.within_group.len(), s.order_by.len()), (3, 2, 2, 2));
    assert!(s.having.is_some() && s.order_by[0].descending && !s.order_by[1].descending);
    assert_eq!((s.limit, s.offset), (Some(10), 5));
    assert_eq!(s.options[1], ("field_weights".into(), OptionValue::Weights(vec![("title".into(), 5), ("plot".into(), 2)])));
    assert_eq!(s.options[2], ("ranker".into(), OptionValue::Call("expr".into(), "sum(lcs)".into())));
    assert_eq!(
        s.options[3..].iter().map(|o| o.1.clone()).collect::<Vec<_>>(),
        [OptionValue::Int(-1), OptionValue::Word("proximity".into()), OptionValue::Text("a".into()), OptionValue::Float(0.5)]
    );
    assert_eq!(s.facets.len(), 2);
    assert_eq!((s.facets[0].limit, s.facets[0].offset, s.facets[0].distinct.as_deref()), (Some(3), 1, Some("id")));
    assert_eq!(select("SELECT a FROM t").group_rows, 1);
    assert_eq!(select("SELECT a FROM t LIMIT 3").limit, Some(3));
    assert_eq!(select("SELECT table_name FROM information_schema.tables").from, ["information_schema.tables"]);
    assert_eq!(select("select @@version_comment limit 1").limit, Some(1));
    assert_eq!(select("SELECT a FROM t FACET b FACET c").facets.len(), 2);
    let s = select("SELECT a FROM t FACET b ORDER BY FACET() DESC, c, FACET d ORDER BY COUNT(*) DESC, b FACET (e)");
    assert_eq!(s.facets.iter().map(|f| f.order_by.len()).collect::<Vec<_>>(), [2, 2, 0]);
    assert_eq!((draw(&s.facets[0].order_by[0].expr), s.facets[0].order_by[0].descending), ("facet()".into(), true));
}

#[test]
fn statements_by_shape() {
    // The debug form of a statement must begin so.
    for (text, shape) in [
        (
            "INSERT INTO t VALUES (1,'a',(1,2),())",
            "Insert(Insert { table: \"t\", replace: false, columns: [], rows: [[Int(1), Text(\"a\"), List([Int(1), Int(2)]), List([])]] })",
        ),
        (
            "REPLACE INTO db.t (ID, `Title`) VALUES (-1, NULL), (+2, \"x\")",
            "Insert(Insert { table: \"db.t\", replace: true, columns: [\"id\", \"title\"], rows: [[Int(-1), Null], [Int(2), Text(\"x\")]] })",
        ),
        (
            "INSERT INTO t(v) VALUES ((0.5,-1))",
            "Insert(Insert { table: \"t\", replace: false, columns: [\"v\"], rows: [[List([Float(0.5), Int(-1)])]] })",
        ),
        (
            "UPDATE t SET n=5, m=(1), j.a.B=-2 WHERE id=77 OPTION strict=1",
            "Update(Update { table: \"t\", assignments: [(Column(\"n\"), Int(5)), (Column(\"m\"), List([Int(1)])), (Json { column: \"j\", path: [Key(\"a\"), Key(\"B\")] }, Int(-2))], filter: Some(",
        ),
        ("DELETE FROM t WHERE id IN (1,2)", "Delete(Delete { table: \"t\", filter: Some(In"),
        ("DELETE FROM t", "Delete(Delete { table: \"t\", filter: None, options: [] })"),
        (
            "CREATE TABLE IF NOT EXISTS T(id bigint, A text indexed stored, v float_vector knn_type='hnsw' knn_dims='8') optimize_cutoff='16' rt_mem_limit = '256K', engine='columnar' n=-5",
            "CreateTable(CreateTable { table: \"t\", if_not_exists: true, columns: [ColumnDef { name: \"id\", type_name: \"bigint\", flags: [], options: [] }, ColumnDef { name: \"a\", type_name: \"text\", flags: [\"indexed\", \"stored\"], options: [] }, ColumnDef { name: \"v\", type_name: \"float_vector\", flags: [], options: [(\"knn_type\", \"hnsw\"), (\"knn_dims\", \"8\")] }], options: [(\"optimize_cutoff\", \"16\"), (\"rt_mem_limit\", \"256K\"), (\"engine\", \"columnar\"), (\"n\", \"-5\")] })",
        ),
        ("CREATE TABLE t", "CreateTable(CreateTable { table: \"t\", if_not_exists: false, columns: [], options: [] })"),
        (
            "CREATE TABLE t(a int(11))",
            "CreateTable(CreateTable { table: \"t\", if_not_exists: false, columns: [ColumnDef { name: \"a\", type_name: \"int(11)\"",
        ),
        ("CREATE TABLE a LIKE b", "NotBuilt(\"CREATE TABLE … LIKE\")"),
        ("CREATE CLUSTER posts", "NotBuilt(\"CREATE CLUSTER\")"),
        ("DROP TABLE IF EXISTS t", "DropTable { table: \"t\", if_exists: true }"),
        ("DROP TABLE t", "DropTable { table: \"t\", if_exists: false }"),
        ("DROP FUNCTION f", "NotBuilt(\"DROP FUNCTION\")"),
        ("TRUNCATE TABLE t", "Truncate { table: \"t\" }"),
        ("TRUNCATE TABLE t WITH RECONFIGURE", "NotBuilt(\"TRUNCATE TABLE … WITH RECONFIGURE\")"),
        (
            "ALTER TABLE t rt_mem_limit='64M' optimize_cutoff=3",
            "AlterSettings { table: \"t\", settings: [(\"rt_mem_limit\", \"64M\"), (\"optimize_cutoff\", \"3\")] }",
        ),
        ("ALTER TABLE t ADD COLUMN b uint", "NotBuilt(\"ALTER TABLE … ADD COLUMN\")"),
        ("ALTER TABLE t REBUILD SECONDARY", "NotBuilt(\"ALTER TABLE … REBUILD SECONDARY\")"),
        ("DESC t", "Describe { table: \"t\", like: None }"),
        ("describe t like 'a%'", "Describe { table: \"t\", like: Some(\"a%\") }"),
        ("SHOW TABLES", "Show(Tables(None))"),
        ("SHOW TABLES FROM Manticore LIKE 'b%'", "Show(Tables(Some(\"b%\")))"),
        ("SHOW FULL TABLES", "Show(FullTables(None))"),
        ("SHOW FULL COLUMNS FROM t FROM db LIKE '%'", "Show(Columns { table: \"t\", full: true, like: Some(\"%\") })"),
        ("SHOW INDEX FROM t", "Show(Keys(\"t\"))"),
        ("SHOW DATABASES", "Show(Databases(None))"),
        ("SHOW CREATE TABLE movies", "Show(CreateTable(\"movies\"))"),
        ("SHOW TABLE t STATUS LIKE 'disk_chunks'", "Show(TableStatus(\"t\", Some(\"disk_chunks\")))"),
        ("SHOW TABLE `status` STATUS", "Show(TableStatus(\"status\", None))"),
        ("SHOW TABLE STATUS LIKE 't'", "Show(Other(\"table status\", Some(\"t\")))"),
        ("SHOW TABLE t SETTINGS", "Show(TableSettings(\"t\"))"),
        ("SHOW TABLE t CHUNKS", "Show(TableChunks(\"t\"))"),
        ("SHOW TABLE status CHUNKS", "Show(TableChunks(\"status\"))"),
        ("show merges", "Show(Merges)"),
        ("SHOW OPTIMIZE HISTORY", "Show(OptimizeHistory)"),
        ("SHOW TABLE t INDEXES", "NotBuilt(\"SHOW TABLE … INDEXES\")"),
        ("SHOW META LIKE 'total%'", "Show(Meta(Some(\"total%\")))"),
        ("SHOW WARNINGS", "Show(Warnings)"),
        ("SHOW GLOBAL STATUS LIKE 'x'", "Show(Status(Some(\"x\")))"),
        ("SHOW VARIABLES LIKE 'sql%'", "Show(Variables { global: false, filter: Like(\"sql%\") })"),
        ("SHOW GLOBAL VARIABLES", "Show(Variables { global: true, filter: All })"),
        ("SHOW SESSION VARIABLES", "Show(Variables { global: false, filter: All })"),
        (
            "SHOW VARIABLES WHERE Variable_name='A' OR variable_name = 'b' OR variable_name IN ('c','d')",
            "Show(Variables { global: false, filter: Names([\"a\", \"b\", \"c\", \"d\"]) })",
        ),
        ("SHOW THREADS OPTION columns=30, format=all", "Show(Threads([(\"columns\", Int(30)), (\"format\", Word(\"all\"))]))"),
        ("SHOW FULL PROCESSLIST", "Show(ProcessList)"),
        ("SHOW COLLATION", "Show(Other(\"collation\", None))"),
        ("SHOW CHARACTER SET LIKE 'utf8%'", "Show(Other(\"character set\", Some(\"utf8%\")))"),
        ("SHOW STORAGE ENGINES", "Show(Other(\"engines\", None))"),
        ("SHOW FUNCTION STATUS WHERE Db = 'x'", "Show(Other(\"function status\", None))"),
        ("SHOW PLAN", "NotBuilt(\"SHOW PLAN\")"),
        ("SHOW AGENT STATUS LIKE 'a'", "NotBuilt(\"SHOW AGENT\")"),
        (
            "SET NAMES utf8 COLLATE utf8_general_ci",
            "Set([Assignment { scope: Session, name: \"names\", value: Text(\"utf8\") }, Assignment { scope: Session, name: \"collation_connection\"",
        ),
        ("SET NAMES 'utf8mb4'", "Set([Assignment { scope: Session, name: \"names\", value: Text(\"utf8mb4\") }])"),
        ("SET CHARACTER SET utf8", "Set([Assignment { scope: Session, name: \"names\", value: Text(\"utf8\") }])"),
        (
            "SET autocommit=1, sql_mode = 'X', a=ON",
            "Set([Assignment { scope: Session, name: \"autocommit\", value: Int(1) }, Assignment { scope: Session, name: \"sql_mode\", value: Text(\"X\") }, Assignment { scope: Session, name: \"a\", value: Column(\"on\") }])",
        ),
        ("SET GLOBAL merge_chunks_per_job=1", "Set([Assignment { scope: Global, name: \"merge_chunks_per_job\", value: Int(1) }])"),
        ("SET @@global.x=y", "Set([Assignment { scope: Global, name: \"x\", value: Column(\"y\") }])"),
        ("SET @@x=-1", "Set([Assignment { scope: Session, name: \"x\", value: Int(-1) }])"),
        ("SET @v=(1,2)", "Set([Assignment { scope: User, name: \"v\", value: List([Int(1), Int(2)]) }])"),
        ("SET GLOBAL @v=(5)", "Set([Assignment { scope: User, name: \"v\", value: List([Int(5)]) }])"),
        (
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "Set([Assignment { scope: Session, name: \"transaction\", value: Text(\"isolation level read committed\") }])",
        ),
        ("SET transaction_isolation = 'READ-COMMITTED'", "Set([Assignment { scope: Session, name: \"transaction_isolation\""),
        ("USE Manticore", "Use(\"manticore\")"),
        ("BEGIN", "Begin"),
        ("START TRANSACTION", "Begin"),
        ("COMMIT", "Commit"),
        ("ROLLBACK WORK", "Rollback"),
        ("OPTIMIZE TABLE t", "Optimize { table: \"t\", options: [], explain: false }"),
        (
            "OPTIMIZE TABLE t OPTION sync=1, cutoff=1, target_size='4G'",
            "Optimize { table: \"t\", options: [(\"sync\", Int(1)), (\"cutoff\", Int(1)), (\"target_size\", Text(\"4G\"))], explain: false }",
        ),
        ("OPTIMIZE TABLE t OPTION target_size=4G", "Optimize { table: \"t\", options: [(\"target_size\", Word(\"4g\"))], explain: false }"),
        (
            "EXPLAIN OPTIMIZE TABLE t OPTION target_size=9223372036854775807, parallel=2",
            "Optimize { table: \"t\", options: [(\"target_size\", Int(9223372036854775807)), (\"parallel\", Int(2))], explain: true }",
        ),
        ("EXPLAIN OPTIMIZE TABLE t", "Optimize { table: \"t\", options: [], explain: true }"),
        ("EXPLAIN SELECT 1", "NotBuilt(\"EXPLAIN SELECT\")"),
        ("FLUSH RAMCHUNK t", "FlushRamchunk { table: \"t\" }"),
        ("FLUSH RTINDEX t", "FlushTable { table: \"t\" }"),
        ("FLUSH TABLE t", "FlushTable { table: \"t\" }"),
        ("FLUSH ATTRIBUTES", "NotBuilt(\"FLUSH ATTRIBUTES\")"),
        ("CHECK TABLE t", "CheckTable { table: \"t\" }"),
        ("FREEZE a, b", "Freeze([\"a\", \"b\"])"),
        ("UNFREEZE a", "Unfreeze([\"a\"])"),
        ("KILL QUERY 5", "Kill { id: 5 }"),
        ("KILL 5", "Kill { id: 5 }"),
        ("CALL KEYWORDS('a b','T', 1)", "CallKeywords { text: \"a b\", table: \"t\", stats: true, options: [] }"),
        (
            "CALL KEYWORDS('a','t', 1 as stats, 'docs' as sort_mode)",
            "CallKeywords { text: \"a\", table: \"t\", stats: true, options: [(\"sort_mode\", Text(\"docs\"))] }",
        ),
        ("CALL SNIPPETS('a','t','b')", "NotBuilt(\"CALL SNIPPETS\")"),
        ("ATTACH TABLE a TO TABLE b", "NotBuilt(\"ATTACH TABLE\")"),
        ("LOCK TABLES a READ, b AS x READ LOCAL, `c` LOW_PRIORITY WRITE", "LockTables([(\"a\", Read), (\"b\", Read), (\"c\", Write)])"),
        ("UNLOCK TABLES", "UnlockTables"),
        ("SHOW LOCKS", "Show(Locks)"),
        ("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `Manticore`", "CreateDatabase { name: \"manticore\" }"),
        ("SELECT * FROM t AS q WHERE id=1", "NotBuilt(\"another name for a table"),
        ("SELECT q.id FROM t q", "NotBuilt(\"another name for a table"),
        ("SHOW PLAN", "NotBuilt(\"SHOW PLAN\")"),
        ("ALTER TABLE t ADD COLUMN a int", "NotBuilt(\"ALTER TABLE … ADD COLUMN\")"),
        ("SELECT a FROM x JOIN y ON x.a=y.a", "NotBuilt(\"JOIN\")"),
        ("SELECT * FROM (SELECT 1) ORDER BY a", "NotBuilt(\"SELECT … FROM (SELECT …)\")"),
        ("/*!40101 SET NAMES utf8 */ SELECT 1", "Select("),
        ("SELECT /*!40001 SQL_NO_CACHE */ * FROM t", "Select(Select { distinct: false, dump: true"),
        ("SELECT DISTINCT a FROM t", "Select(Select { distinct: true, dump: false"),
        ("SELECT DATABASE(), USER(), VERSION(), CONNECTION_ID()", "Select("),
    ] {
        let found = format!("{:?}", one(text));
        assert!(found.starts_with(shape), "{text}\n{found}");
    }
}

#[test]
fn errors() {
    for (text, message) in [
        ("SELECT * FROM t WHER id=1", "P01: syntax error, unexpected identifier, expecting end of query near 'WHER id=1'"),
        ("SELECT id FROM movies WHERE MATCH('love') AND MATCH('war')", "P01: too many MATCH() clauses near ')'"),
        ("SELECT bogus syntax here from", "P01: syntax error, unexpected identifier, expecting end of query near 'here from'"),
        ("SELECT", "P01: syntax error, unexpected end of query, expecting expression near ''"),
        ("SELECT a FROM", "P01: syntax error, unexpected end of query, expecting table name near ''"),
        ("SELECT a, FROM t", "P01: syntax error, unexpected FROM, expecting expression near 'FROM t'"),
        ("SELECT a FROM t WHERE a = ", "P01: syntax error, unexpected end of query, expecting expression near ''"),
        ("SELECT a FROM t WHERE a IN ()", "P01: syntax error, unexpected ')', expecting value near ')'"),
        ("SELECT a FROM t LIMIT 'x'", "P01: syntax error, unexpected string, expecting integer near ''x''"),
        ("SELECT a FROM t WHERE a='x", "P01: syntax error, unexpected string without an end, expecting expression near ''x'"),
        ("SELECT 1 /* x", "P01: syntax error, unexpected comment without an end, expecting end of query near '/* x'"),
        ("SELECT ?", "P01: syntax error, unexpected '?', expecting expression near '?'"),
        ("SELECT 18446744073709551616", "number 18446744073709551616 is out of range [-9223372036854775808..9223372036854775807]"),
        ("SELECT -9223372036854775809", "number -9223372036854775809 is out of range [-9223372036854775808..9223372036854775807]"),
        ("INSERT INTO t VALUES", "P01: syntax error, unexpected end of query, expecting '(' near ''"),
        ("INSERT INTO t VALUES (1,,2)", "P01: syntax error, unexpected ',', expecting value near ',2)'"),
        ("INSERT t VALUES (1)", "P01: syntax error, unexpected identifier, expecting INTO near 't VALUES (1)'"),
        ("INSERT INTO t VALUES (((1)))", "P01: syntax error, unexpected '(', expecting value near '(1)))'"),
        ("CREATE TABLE t(a)", "P01: syntax error, unexpected ')', expecting type near ')'"),
        ("CREATE TABLE", "P01: syntax error, unexpected end of query, expecting table name near ''"),
        ("CREATE TABLE t(a int) x", "P01: syntax error, unexpected end of query, expecting '=' near ''"),
        ("CREATE TABLE select(a int)", "P01: syntax error, unexpected SELECT, expecting table name near 'select(a int)'"),
        ("DROP t", "P01: syntax error, unknown kind of object 't' near 't'"),
        ("DROP", "P01: syntax error, unexpected end of query, expecting TABLE near ''"),
        ("CREATE TABEL t(a int)", "P01: syntax error, unknown kind of object 'TABEL', did you mean TABLE? near 'TABEL t(a int)'"),
        ("GIBBERISH", "P01: syntax error, unknown statement 'GIBBERISH' near 'GIBBERISH'"),
        ("INSRET INTO t VALUES (1)", "P01: syntax error, unknown statement 'INSRET', did you mean INSERT? near 'INSRET INTO t VALUES (1)'"),
        ("SHOW TABELS", "P01: syntax error, unknown thing to show 'TABELS', did you mean TABLES? near 'TABELS'"),
        ("SHOW CREATE ;", "P01: syntax error, unexpected ';', expecting TABLE near ';'"),
        ("SHOW CREATE TABEL t", "P01: syntax error, unknown kind of object 'TABEL', did you mean TABLE? near 'TABEL t'"),
        ("CALL KEYWROD('a','t')", "P01: syntax error, unknown procedure 'KEYWROD', did you mean KEYWORDS? near 'KEYWROD('a','t')'"),
        ("CALL 'x'", "P01: syntax error, unexpected string, expecting procedure near ''x''"),
        ("FLUSH RAMCHNUK t", "P01: syntax error, unknown thing to flush 'RAMCHNUK', did you mean RAMCHUNK? near 'RAMCHNUK t'"),
        ("ALTER TABLE t ADDD COLUMN a int", "P01: syntax error, unknown alteration 'ADDD', did you mean ADD? near 'ADDD COLUMN a int'"),
        ("LOCK TABLES t", "P01: syntax error, unexpected end of query, expecting READ or WRITE near ''"),
        ("SELECT a FROM t WHERE a IN (SELECT b FROM", "P01: syntax error, unexpected end of query, expecting table name near ''"),
        ("'x'", "P01: syntax error, unexpected string, expecting a statement near ''x''"),
        ("SHOW VARIABLES WHERE a=1", "P01: syntax error, unexpected identifier, expecting variable_name = 'name' [OR …] near 'a=1'"),
        ("SHOW OPTIMIZE", "P01: syntax error, unexpected end of query, expecting HISTORY near ''"),
        ("SET a", "P01: syntax error, unexpected end of query, expecting '=' near ''"),
        ("OPTIMIZE TABLE t OPTION a", "P01: syntax error, unexpected end of query, expecting '=' near ''"),
        ("GROUP", "P01: syntax error, unexpected GROUP, expecting a statement near 'GROUP'"),
        ("SELECT a FROM t GROUP 0 BY a", "P01: GROUP N BY wants an N from 1 near '0 BY a'"),
        ("SELECT a FROM t WHERE f(1,)", "P01: syntax error, unexpected ')', expecting argument near ')'"),
    ] {
        let error = parse_one(text).map(|s| format!("{s:?}")).expect_err(text);
        assert_eq!(error.message, message, "{text}");
    }
    let long = format!("SELECT a b c {}", "ж".repeat(1000));
    assert!(parse_one(&long).unwrap_err().message.len() < 400);
}

#[test]
fn one_after_another() {
    let text = ";; SELECT 1 ; /* x */ ; SELECT 2;bad; SELECT 3";
    let mut all = statements(text);
    assert!(all.has_more());
    assert_eq!(all.next().unwrap().unwrap().source, "SELECT 1");
    assert_eq!(all.next().unwrap().unwrap().source, "SELECT 2");
    assert!(all.has_more());
    assert!(all.next().unwrap().is_err());
    assert!(all.next().is_none() && !all.has_more());
    assert_eq!(parse(" ; -- x").unwrap(), []);
    assert!(parse_one("").is_err() && parse_one("SELECT 1; SELECT 2").is_err());
    assert!(!statements("/*!40101 SET NAMES utf8 */;").has_more());
}

#[test]
fn prepared() {
    let text = "SELECT id, '?' FROM t WHERE MATCH(?) AND a IN (?, ?) LIMIT ?";
    let p = prepare(text).unwrap();
    assert_eq!(p.parameters.len(), 4);
    let bound = bind_parameters(text, &p.parameters, &[Value::Text("it's".into()), Value::Int(-1), Value::Uint(u64::MAX), Value::Int(5)]);
    assert_eq!(bound.as_deref(), Some("SELECT id, '?' FROM t WHERE MATCH('it\\'s') AND a IN (-1, 18446744073709551615) LIMIT 5"));
    assert_eq!(select(&bound.unwrap()).limit, Some(5));
    assert_eq!(bind_parameters(text, &p.parameters, &[]), None);
    assert_eq!(prepare("INSERT INTO t VALUES (?,(1,2),?);").unwrap().parameters.len(), 2);
    assert!(prepare("SELECT 1; SELECT 2").is_err());
}

#[test]
fn depth() {
    for text in [
        format!("SELECT {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("SELECT {}1", "-a+(".repeat(100_000)),
        format!("SELECT {}1", "NOT ".repeat(100_000)),
        format!("SELECT {}1", "f({a=".repeat(100_000)),
        format!("SELECT {}", vec!["1"; 100_000].join("+")),
        format!("SELECT 1 {}", "IS NULL ".repeat(100_000)),
        format!("INSERT INTO t VALUES {}", "(".repeat(100_000)),
    ] {
        assert!(parse_one(&text).is_err());
    }
    // A long condition is fine.
    let members: Vec<String> = (0..50_000).map(|i| format!("id={i}")).collect();
    assert!(parse_one(&format!("SELECT 1 FROM t WHERE {}", members.join(" OR "))).is_ok());
}

/// Statements to cut and shuffle.
const SAMPLES: &str = "SELECT a.b[0]['c'] AS x, COUNT(DISTINCT y) FROM t WHERE MATCH('a') AND x IN (1,-2.5) GROUP BY z ORDER BY w DESC LIMIT 1,2 \
    OPTION a=(b=1), r=expr('x') FACET q BY z; INSERT INTO t(a,b) VALUES (1,'x\\'y'),(-1,(1,2)); UPDATE t SET j.a=1, m=() WHERE id=1; \
    CREATE TABLE t(a text indexed, b int) c='d'; SHOW VARIABLES WHERE variable_name='x' OR variable_name='y'; SET @@global.x=1, @y=(1); \
    CALL KEYWORDS('a','b',1 AS c); SHOW TABLE t STATUS LIKE 'x'; SELECT ANY(x=1 FOR x IN j.a), HIGHLIGHT({a=1}), INTERVAL 3 DAY; /* z */ -- y";

fn drain(text: &str) {
    for parsed in statements(text).flatten() {
        assert!(text.contains(parsed.source));
    }
    let _ = prepare(text);
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,60}") {
        drain(&text);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        drain(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn cuts_are_survived(from in 0usize..700, len in 0usize..700, insert in "[ -~]{0,3}") {
        let from = from.min(SAMPLES.len());
        let end = (from + len).min(SAMPLES.len());
        drain(&SAMPLES[from..]);
        drain(&SAMPLES[..end]);
        drain(&format!("{}{insert}{}", &SAMPLES[..from], &SAMPLES[end..]));
    }
}
