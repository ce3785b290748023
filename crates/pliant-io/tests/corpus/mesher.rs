//! MSH and TetGen: what meshers write.

use pliant_io::import::Problem::*;

use super::{Case, case, changed, find_bytes, noise, patched, valid_sample};

pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    msh(&mut list);
    tetgen(&mut list);
    list
}

fn msh(list: &mut Vec<Case>) {
    let two = |from: &str, to: &str| changed("two.msh", from, to);
    let four = |from: &str, to: &str| changed("four.msh", from, to);
    case!(list, "msh", "empty file", "", Truncated { .. });
    case!(list, "msh", "binary garbage", noise(5000, 5), Syntax { .. });
    case!(list, "msh", "version 1", "$NOD\n", Syntax { .. });
    case!(list, "msh", "version 3", two("2.2 0 8", "3.0 0 8"), Unsupported { .. });
    case!(list, "msh", "version 4.0", two("2.2 0 8", "4 0 8"), Unsupported { .. });
    case!(list, "msh", "numbers of four bytes", two("2.2 0 8", "2.2 0 4"), Syntax { .. });
    case!(list, "msh", "section without end", two("$EndComments", ""), Truncated { .. });
    case!(list, "msh", "no section", two("$Comments", "Comments"), Syntax { .. });
    case!(
        list,
        "msh",
        "no nodes",
        two("$Nodes\n5\n", "$Other\n5\n$EndOther\n$Rest\n")
            .into_iter()
            .chain(*b"$EndRest\n")
            .collect::<Vec<_>>(),
        Syntax { .. } | Truncated { .. }
    );
    case!(list, "msh", "no elements", two("$Elements", "$Else"), Truncated { .. });
    case!(
        list,
        "msh",
        "lying count of nodes",
        two("$Nodes\n5", "$Nodes\n5000000000"),
        Length { .. }
    );
    case!(
        list,
        "msh",
        "count 2^64",
        two("$Nodes\n5", "$Nodes\n18446744073709551616"),
        Number { .. }
    );
    case!(list, "msh", "node twice", two("\n20 ", "\n10 "), Syntax { .. });
    case!(
        list,
        "msh",
        "no such node",
        two("2 4 2 7 1 10 20", "2 4 2 7 1 10 21"),
        Index { count: 5, .. }
    );
    case!(list, "msh", "negative node", two("2 4 2 7 1 10 20", "2 4 2 7 1 10 -20"), Index { .. });
    case!(
        list,
        "msh",
        "node 2^63",
        two("2 4 2 7 1 10 20", "2 4 2 7 1 10 9223372036854775808"),
        Number { .. }
    );
    case!(list, "msh", "hexahedra", two("2 4 2 7 1 ", "2 5 2 7 1 "), Unsupported { .. });
    case!(
        list,
        "msh",
        "no such element type",
        two("2 4 2 7 1 ", "2 -4 2 7 1 "),
        Unsupported { .. }
    );
    case!(list, "msh", "negative number of tags", two("2 4 2 7 1 ", "2 4 -2 7 1 "), Number { .. });
    case!(list, "msh", "tags without end", two("2 4 2 7 1 ", "2 4 2000000000 7 1 "), Number { .. });
    case!(list, "msh", "NaN", two("1.5 0 0.25", "1.5 nan 0.25"), NotFinite { .. });
    case!(list, "msh", "1e999", four("1.5 0 0.25", "1e999 0 0.25"), NotFinite { .. });
    case!(list, "msh", "name without quotes", two("\"soft part\"", "soft"), Syntax { .. });
    case!(
        list,
        "msh",
        "4.1: lying number of entities",
        four("1 0 0 2", "1 0 0 200000000"),
        Length { .. }
    );
    case!(
        list,
        "msh",
        "4.1: lying number of blocks",
        four("2 5 1 5", "2000000 5 1 5"),
        Length { .. }
    );
    case!(
        list,
        "msh",
        "4.1: lying number of nodes",
        four("2 5 1 5", "2 6 1 5"),
        Length { announced: 6, available: 5, .. }
    );
    case!(list, "msh", "4.1: negative number of nodes", four("2 5 1 5", "2 -5 1 5"), Number { .. });
    case!(list, "msh", "4.1: lying number of elements", four("2 2 1 2", "2 3 1 2"), Length { .. });
    case!(
        list,
        "msh",
        "4.1: parameters of a hypersurface",
        four("3 1 0 4", "9 1 1 4"),
        Number { .. }
    );
    case!(list, "msh", "byte order unknown", patched("two_binary.msh", 20, &[7]), Syntax { .. });
    let data = find_bytes("two_binary.msh", b"$Nodes\n5\n") + 9;
    case!(
        list,
        "msh",
        "binary NaN",
        patched("two_binary.msh", data + 4, &f64::NAN.to_le_bytes()),
        NotFinite { .. }
    );
    let elements = find_bytes("two_binary.msh", b"$Elements\n2\n") + 12;
    case!(
        list,
        "msh",
        "binary block of nothing",
        patched("two_binary.msh", elements + 4, &[0]),
        Length { .. }
    );
    case!(
        list,
        "msh",
        "binary block of too much",
        patched("two_binary.msh", elements + 4, &[255; 4]),
        Length { .. }
    );
    let block = find_bytes("four_binary.msh", b"$Nodes\n") + 7 + 32 + 12;
    case!(
        list,
        "msh",
        "4.1: binary count 2^63",
        patched("four_binary.msh", block + 7, &[0x80]),
        Number { .. }
    );
    case!(
        list,
        "msh",
        "4.1: binary count 2^62",
        patched("four_binary.msh", block + 7, &[0x40]),
        Length { .. }
    );
}

fn tetgen(list: &mut Vec<Case>) {
    let ele = |from: &str, to: &str| changed("two.ele", from, to);
    let first = list.len();
    case!(list, "ele", "empty file", "", Truncated { .. });
    case!(list, "ele", "binary garbage", noise(5000, 6), Number { .. });
    case!(list, "ele", "lying count", ele("2 4 1", "200000000 4 1"), Length { .. });
    case!(list, "ele", "one tet too many", ele("2 4 1", "3 4 1"), Truncated { .. });
    case!(list, "ele", "triangles", ele("2 4 1", "2 3 1"), Syntax { .. });
    case!(list, "ele", "no such vertex", ele("1 1 2 3 4", "1 1 2 3 6"), Index { count: 5, .. });
    case!(list, "ele", "vertex 0 of a list from 1", ele("1 1 2 3 4", "1 0 2 3 4"), Index { .. });
    case!(list, "ele", "row cut short", ele("1 1 2 3 4 7", "1 1 2"), Number { .. });
    case!(list, "ele", "region that is no number", ele("4 7", "4 x"), Number { .. });
    case!(list, "ele", "region NaN", ele("4 7", "4 nan"), NotFinite { .. });
    for case in &mut list[first..] {
        case.beside.insert("f.node".to_owned(), valid_sample("two.node"));
    }
    let node = |from: &str, to: &str| changed("two.node", from, to);
    let first = list.len();
    case!(list, "node", "lying count", node("5 3 0 0", "500000 3 0 0"), Length { .. });
    case!(list, "node", "plane", node("5 3 0 0", "5 2 0 0"), Syntax { .. });
    case!(list, "node", "vertex twice", node("\n2 ", "\n1 "), Syntax { .. });
    case!(list, "node", "NaN", node("1.5 0 0.25", "1.5 nan 0.25"), NotFinite { .. });
    for case in &mut list[first..] {
        case.beside.insert("f.ele".to_owned(), valid_sample("two.ele"));
    }
    case!(list, "node", "no tets beside it", valid_sample("two.node"), Missing { .. });
}
