//! Many things that are dealt with some at a time: as many by each line as the card gets done before the line has to end. So a card
//! that is slow, or has much on it, takes longer, and is waited for as long as it comes further.

/// Things in one piece at first, and bytes of their names.
const THINGS: usize = 1_000;
const BYTES: usize = 128 << 10;

/// Things of which some are done.
#[derive(Debug)]
pub struct Pieces<'a> {
    names: &'a [&'a [u8]],
    /// So many are done.
    done: usize,
    /// So many come at once.
    most: usize,
}

impl<'a> Pieces<'a> {
    /// Of these things, in this order.
    pub const fn of(names: &'a [&'a [u8]]) -> Self {
        Self { names, done: 0, most: THINGS }
    }

    /// How many are done.
    pub const fn done(&self) -> usize {
        self.done
    }

    /// Those that come next; none once all are done.
    pub fn piece(&self) -> Option<&'a [&'a [u8]]> {
        let rest = &self.names[self.done..];
        let mut bytes = 0;
        let fits = |name: &&&[u8]| {
            bytes += name.len();
            bytes <= BYTES
        };
        rest.get(..rest.iter().take(self.most).take_while(fits).count().max(1))
    }

    /// Those are done.
    pub fn go_on(&mut self) {
        self.done += self.piece().map_or(0, <[_]>::len);
    }

    /// Those were too many for one line: half of them come next. Not if it was one thing alone.
    pub fn halve(&mut self) -> bool {
        let now = self.piece().map_or(0, <[_]>::len);
        self.most = (now / 2).max(1);
        now > 1
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Pieces, THINGS};

    #[test]
    fn all_come_in_their_order_and_fewer_at_once_where_they_were_too_many() {
        let names: Vec<Vec<u8>> = (0..THINGS * 2 + 7).map(|n| n.to_string().into_bytes()).collect();
        let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
        let mut pieces = Pieces::of(&names);
        let (mut seen, mut sizes) = (Vec::new(), Vec::new());
        while let Some(some) = pieces.piece() {
            // A card that gets 300 done in time.
            if some.len() > 300 {
                assert!(pieces.halve());
                continue;
            }
            sizes.push(some.len());
            seen.extend_from_slice(some);
            pieces.go_on();
            assert_eq!(pieces.done(), seen.len());
        }
        assert_eq!(seen, names);
        assert!(sizes.starts_with(&[250, 250]) && sizes.last() == Some(&7), "{sizes:?}");
        assert!(Pieces::of(&[]).piece().is_none());
    }

    #[test]
    fn one_thing_that_takes_too_long_is_the_end() {
        let names: [&[u8]; 3] = [b"a", b"b", b"c"];
        let mut pieces = Pieces::of(&names);
        assert!(pieces.halve());
        assert_eq!(pieces.piece(), Some(&names[..1]));
        assert!(!pieces.halve());
    }

    #[test]
    fn long_names_come_fewer_at_once_and_one_comes_however_long_it_is() {
        let (long, longer) = (vec![b'x'; BYTES / 2], vec![b'y'; BYTES + 1]);
        let names: [&[u8]; 4] = [&long, &long, &longer, &long];
        let mut pieces = Pieces::of(&names);
        let mut sizes = Vec::new();
        while let Some(some) = pieces.piece() {
            sizes.push(some.len());
            pieces.go_on();
        }
        assert_eq!(sizes, [2, 1, 1]);
    }
}
