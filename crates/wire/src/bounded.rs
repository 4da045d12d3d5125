//! Reading lists and texts of whoever may send anything: each has an end, and what goes beyond it is refused as soon as it
//! does, so that nobody has to hold more.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// Reads a list of at most `MANY`.
///
/// # Errors
/// When it is longer, or something else.
pub fn list<'de, D, T, const MANY: usize>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_seq(List::<T, MANY>(PhantomData))
}

/// Reads a text of at most `LONG` bytes.
///
/// # Errors
/// When it is longer, or something else.
pub fn text<'de, D, const LONG: usize>(from: D) -> Result<String, D::Error>
where
    D: Deserializer<'de>,
{
    Text::<LONG>::deserialize(from).map(|Text(text)| text)
}

/// Reads a list of at most `MANY` texts of at most `LONG` bytes each.
///
/// # Errors
/// When it is longer, one of them is, or it is something else.
pub fn texts<'de, D, const MANY: usize, const LONG: usize>(from: D) -> Result<Vec<String>, D::Error>
where
    D: Deserializer<'de>,
{
    let read = list::<D, Text<LONG>, MANY>(from)?;
    Ok(read.into_iter().map(|Text(text)| text).collect())
}

struct List<T, const MANY: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MANY: usize> Visitor<'de> for List<T, MANY> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MANY}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() == MANY {
                return Err(A::Error::invalid_length(MANY + 1, &self));
            }
            list.push(item);
        }
        Ok(list)
    }
}

struct Text<const LONG: usize>(String);

impl<'de, const LONG: usize> Deserialize<'de> for Text<LONG> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(Words::<LONG>).map(Self)
    }
}

struct Words<const LONG: usize>;

impl<const LONG: usize> Visitor<'_> for Words<LONG> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text of at most {LONG} bytes")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        if text.len() > LONG {
            return Err(E::invalid_length(text.len(), &self));
        }
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    struct Bounded {
        #[serde(default, deserialize_with = "super::list::<_, _, 2>")]
        list: Vec<u8>,
        #[serde(default, deserialize_with = "super::text::<_, 3>")]
        text: String,
        #[serde(default, deserialize_with = "super::texts::<_, 2, 1>")]
        texts: Vec<String>,
    }

    #[test]
    fn what_fits_is_read_and_nothing_beyond_it() {
        let read = |json: &str| {
            let read = serde_json::from_str::<Bounded>(json);
            read.map(|it| (it.list, it.text, it.texts)).map_err(|error| error.to_string())
        };
        let whole = (vec![1, 2], "中".to_owned(), vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(read(r#"{"list":[1,2],"text":"中","texts":["a","b"]}"#), Ok(whole));
        assert_eq!(read("{}"), Ok((vec![], String::new(), vec![])));
        for (json, why) in [
            (r#"{"list":[1,2,3]}"#, "expected a list of at most 2"),
            (r#"{"text":"中a"}"#, "expected a text of at most 3 bytes"),
            (r#"{"texts":["a","b","c"]}"#, "expected a list of at most 2"),
            (r#"{"texts":["ab"]}"#, "expected a text of at most 1 bytes"),
            (r#"{"text":7}"#, "expected a text of at most 3 bytes"),
        ] {
            let refused = read(json);
            assert!(refused.as_ref().is_err_and(|said| said.contains(why)), "{json}: {refused:?}");
        }
    }
}
