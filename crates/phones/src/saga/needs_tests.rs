use std::collections::{BTreeMap, BTreeSet, VecDeque};

use entity::ImageId;
use kernel::time::UtcTime;

use super::{Stock, Stocks, Waits, Wipes, lacking, suited, wipes};

const X: ImageId = ImageId(1);
const Y: ImageId = ImageId(2);
const STRANGE: ImageId = ImageId(9);

fn stock(counts: &[(ImageId, u64)]) -> Stock {
    Stock(counts.iter().map(|(image, n)| (Some(*image), *n)).collect())
}

/// Those who wait, one second after the other.
fn waiting(needs: &[Option<ImageId>]) -> Vec<Waits> {
    let need = |image: &Option<ImageId>| image.map(|image| BTreeSet::from([image]));
    (1..).zip(needs).map(|(second, image)| Waits { rank: UtcTime(second * 1_000), need: need(image) }).collect()
}

fn wiped(needs: &[Option<ImageId>], clean: &[(ImageId, u64)], sealed: &[(ImageId, u64)]) -> (Vec<(ImageId, u64)>, u64) {
    let stocks = Stocks { clean: stock(clean), sealed: stock(sealed), wiping: Stock::default() };
    let Wipes { of_image, others } = wipes(&waiting(needs), stocks, 2);
    (of_image.into_iter().collect(), others)
}

#[test]
fn a_card_is_wiped_for_who_can_do_nothing_with_those_that_are_clean() {
    assert_eq!(wiped(&[Some(X)], &[(Y, 2)], &[(X, 10)]), (vec![(X, 1)], 0));
    assert_eq!(wiped(&[Some(X), Some(Y), Some(X), None], &[(Y, 2)], &[(X, 10)]), (vec![(X, 2)], 0));
    // One of its image is there, or is being wiped.
    assert_eq!(wiped(&[Some(X)], &[(X, 1), (Y, 1)], &[(X, 10)]), (vec![], 0));
    let wiping = Stocks { clean: stock(&[(Y, 2)]), sealed: stock(&[(X, 10)]), wiping: stock(&[(X, 1)]) };
    assert_eq!(wipes(&waiting(&[Some(X)]), wiping, 2), Wipes::default());
}

#[test]
fn nothing_is_wiped_for_who_fits_no_sealed_card() {
    assert_eq!(wiped(&[Some(STRANGE); 50], &[(Y, 2)], &[(X, 50)]), (vec![], 0));
    // Two are to be clean, whoever waits.
    assert_eq!(wiped(&[Some(STRANGE); 50], &[(Y, 1)], &[(X, 50)]), (vec![], 1));
    assert_eq!(wiped(&[Some(X); 50], &[], &[(X, 3), (Y, 50)]), (vec![(X, 3)], 0));
}

#[test]
fn who_takes_any_card_is_counted_as_before() {
    assert_eq!(wiped(&[None; 5], &[(X, 1), (Y, 1)], &[(X, 10)]), (vec![], 3));
    assert_eq!(wiped(&[None; 5], &[], &[(X, 2)]), (vec![], 2));
    assert_eq!(wiped(&[], &[], &[(X, 10)]), (vec![], 2));
    // The clean one is for who needs it; another one is wiped for who takes any, although he comes first.
    assert_eq!(wiped(&[None, Some(Y)], &[(Y, 1)], &[(X, 10)]), (vec![], 1));
}

fn lack(needs: &[Option<ImageId>], spare: &[(ImageId, u64)], coming: &[(ImageId, u64)], kept: u64) -> Vec<i64> {
    let found = lacking(waiting(needs), &stock(spare), &stock(coming), kept);
    found.iter().map(|one| one.rank.millis() / 1_000).collect()
}

#[test]
fn somebody_leaves_for_who_can_do_nothing_with_what_is_free() {
    assert_eq!(lack(&[Some(X)], &[(Y, 2)], &[], 0), [1]);
    assert_eq!(lack(&[Some(X), Some(X)], &[(Y, 2)], &[(X, 1)], 0), [2], "one comes for the first of them");
    // One is left, and whoever takes it is served before anybody has to leave.
    assert_eq!(lack(&[Some(X), Some(X)], &[(X, 1)], &[], 0), [0; 0]);
}

#[test]
fn without_images_those_lack_a_card_who_are_behind_what_is_there_and_what_comes() {
    assert_eq!(lack(&[None; 3], &[], &[], 0), [1, 2, 3]);
    assert_eq!(lack(&[None; 3], &[], &[(X, 2)], 0), [3]);
    assert_eq!(lack(&[None; 3], &[(X, 1)], &[(X, 1)], 1), [2, 3], "what comes fills the reserve first");
    assert_eq!(lack(&[None; 3], &[(X, 2)], &[], 1), [0; 0], "one is left above the reserve");
}

#[test]
fn who_leaves_gets_the_place_of_the_first_whom_his_card_suits() {
    let all: VecDeque<Waits> = waiting(&[Some(X), Some(Y), None]).into();
    assert_eq!(
        [Some(X), Some(Y), Some(STRANGE), None].map(|image| suited(&all, image)),
        [Some(0), Some(1), Some(2), Some(2)]
    );
    let picky: VecDeque<Waits> = waiting(&[Some(X)]).into();
    assert_eq!((suited(&picky, Some(Y)), suited(&picky, None)), (None, None));
    assert_eq!(stock(&[(X, 2)]).with(&stock(&[(X, 1), (Y, 1)])).0, BTreeMap::from([(Some(X), 3), (Some(Y), 1)]));
}
