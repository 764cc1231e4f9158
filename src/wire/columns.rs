//! Column definitions.

use mysql_common::constants::ColumnType as WireType;

use super::reply_packets::put_bytes;
use crate::session::{ColumnMeta, ColumnType};

/// utf8mb4_general_ci.
pub(super) const UTF8MB4: u16 = 45;
const BINARY: u16 = 63;
const UNSIGNED_FLAG: u16 = 32;
const BINARY_FLAG: u16 = 128;
const NUMBER_FLAG: u16 = 32_768;
/// "As many decimals as the number has."
const ANY_DECIMALS: u8 = 31;

/// Appends the definition of a column, without a default value.
pub(super) fn put_column(buffer: &mut Vec<u8>, column: &ColumnMeta) {
    // Length is what a client may reserve for a value's text: digits of the widest number, and for text as much as one packet holds.
    let (kind, charset, length, flags, decimals): (WireType, u16, u32, u16, u8) = match column.kind {
        ColumnType::Uint => (WireType::MYSQL_TYPE_LONG, BINARY, 11, UNSIGNED_FLAG | BINARY_FLAG | NUMBER_FLAG, 0),
        ColumnType::Bigint => (WireType::MYSQL_TYPE_LONGLONG, BINARY, 20, BINARY_FLAG | NUMBER_FLAG, 0),
        ColumnType::BigUint => (WireType::MYSQL_TYPE_LONGLONG, BINARY, 20, UNSIGNED_FLAG | BINARY_FLAG | NUMBER_FLAG, 0),
        ColumnType::Float => (WireType::MYSQL_TYPE_FLOAT, BINARY, 12, BINARY_FLAG | NUMBER_FLAG, ANY_DECIMALS),
        ColumnType::Double => (WireType::MYSQL_TYPE_DOUBLE, BINARY, 22, BINARY_FLAG | NUMBER_FLAG, ANY_DECIMALS),
        ColumnType::Text => (WireType::MYSQL_TYPE_VAR_STRING, UTF8MB4, 0x00FF_FFFF, 0, 0),
    };
    put_bytes(buffer, b"def");
    // Schema, table, original table: a result is not bound to one table.
    buffer.extend_from_slice(&[0, 0, 0]);
    put_bytes(buffer, column.name.as_bytes());
    put_bytes(buffer, column.name.as_bytes());
    buffer.push(0x0C);
    buffer.extend_from_slice(&charset.to_le_bytes());
    buffer.extend_from_slice(&length.to_le_bytes());
    buffer.push(kind as u8);
    buffer.extend_from_slice(&flags.to_le_bytes());
    buffer.push(decimals);
    buffer.extend_from_slice(&[0, 0]);
}

/// The definition of a parameter: any text will do.
pub(super) fn put_parameter(buffer: &mut Vec<u8>) {
    put_column(buffer, &ColumnMeta { name: "?".to_owned(), kind: ColumnType::Text });
}

#[cfg(test)]
mod tests {
    use super::*;
    use mysql_common::io::ParseBuf;
    use mysql_common::packets::Column;
    use mysql_common::proto::MyDeserialize;

    #[test]
    fn another_implementation_reads_the_definition() {
        for (kind, wire, unsigned) in [
            (ColumnType::Uint, WireType::MYSQL_TYPE_LONG, true),
            (ColumnType::Bigint, WireType::MYSQL_TYPE_LONGLONG, false),
            (ColumnType::BigUint, WireType::MYSQL_TYPE_LONGLONG, true),
            (ColumnType::Float, WireType::MYSQL_TYPE_FLOAT, false),
            (ColumnType::Double, WireType::MYSQL_TYPE_DOUBLE, false),
            (ColumnType::Text, WireType::MYSQL_TYPE_VAR_STRING, false),
        ] {
            let name = "größe".repeat(60);
            let mut buffer = Vec::new();
            put_column(&mut buffer, &ColumnMeta { name: name.clone(), kind });
            let column = Column::deserialize((), &mut ParseBuf(&buffer)).expect("a column");
            assert_eq!(column.name_str(), name);
            assert_eq!(column.column_type(), wire);
            assert_eq!(column.flags().contains(mysql_common::constants::ColumnFlags::UNSIGNED_FLAG), unsigned);
        }
    }
}
