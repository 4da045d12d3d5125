//! What the database refuses by itself about phones, cards and copies, whatever a program does: `HEART.md`, section 1.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use db::Db;
use testkit::phones::{OFF, ON, copy, furnish, run};

async fn refused(db: &Db, what: &str, statements: &str) {
    assert!(run(db, statements).await.is_err(), "{what} is taken");
}

testkit::db_test! {
    async fn no_card_has_two_phones_and_no_phone_two_cards(db) {
        furnish(&db).await;
        run(&db, ON).await.unwrap();
        let placement = |id: i64, phone: i64, card: i64, role: i16| {
            format!("INSERT INTO placement (id, phone_id, card_id, role, is_quarantined, began_at) VALUES ({id}, {phone}, {card}, {role}, FALSE, 0)")
        };
        for role in [1, 2, 3] {
            refused(&db, "a second phone on a card", &placement(2, 2, 1, role)).await;
        }
        refused(&db, "a second card that holds a phone", &placement(2, 1, 2, 2)).await;
        // Migration: another card may be prepared, one at a time.
        run(&db, &placement(2, 1, 2, 1)).await.unwrap();
        refused(&db, "a second card that is prepared for a phone", &placement(3, 1, 3, 1)).await;
    }

    async fn on_the_machine_is_exactly_one_card(db) {
        furnish(&db).await;
        refused(&db, "on without a card", "UPDATE phone SET use_type = 1 WHERE id = 1").await;
        run(&db, ON).await.unwrap();
        refused(&db, "the end of the stay of a phone that is on", "UPDATE placement SET role = 3 WHERE id = 1").await;
        refused(&db, "the end of the stay of a phone that is on", "UPDATE placement SET role = 0, ended_at = 1 WHERE id = 1").await;
        refused(&db, "another phone's card", "UPDATE phone SET use_type = 1, is_blank = FALSE, holds_id = 1 WHERE id = 2").await;
        refused(&db, "off with a card", "UPDATE phone SET use_type = 2 WHERE id = 1").await;
    }

    async fn a_phone_goes_off_only_with_a_verified_full_copy(db) {
        furnish(&db).await;
        run(&db, ON).await.unwrap();
        refused(&db, "off without a copy", "UPDATE phone SET use_type = 2, holds_id = NULL WHERE id = 1").await;
        refused(&db, "blank once more", "UPDATE phone SET is_blank = TRUE WHERE id = 1").await;
        // Uploaded, of apps, of somebody else: none of them will do.
        run(&db, &(copy(2, 1, 1, 3) + &copy(3, 1, 2, 4) + &copy(4, 2, 1, 4))).await.unwrap();
        for backup in [2, 3, 4] {
            let off = format!("UPDATE phone SET use_type = 2, holds_id = NULL, kept_id = {backup} WHERE id = 1");
            refused(&db, "off with a copy that will not do", &off).await;
        }
        run(&db, &(copy(1, 1, 1, 4) + OFF)).await.unwrap();
    }

    async fn the_copy_a_phone_lives_by_can_be_neither_deleted_nor_spoiled(db) {
        furnish(&db).await;
        run(&db, &format!("{ON};{}{OFF}", copy(1, 1, 1, 4))).await.unwrap();
        refused(&db, "the deletion of the kept copy", "DELETE FROM backup WHERE id = 1").await;
        for state in [1, 2, 3, 5, 6, 7] {
            refused(&db, "another state of the kept copy", &format!("UPDATE backup SET state = {state} WHERE id = 1")).await;
        }
        refused(&db, "no kept copy", "UPDATE phone SET kept_id = NULL WHERE id = 1").await;
        // Found damaged: said, and kept.
        run(&db, "UPDATE backup SET damage = 'pack' WHERE id = 1").await.unwrap();
        // Another verified one takes its place, and then it may go.
        run(&db, &(copy(2, 1, 1, 4) + "UPDATE phone SET kept_id = 2 WHERE id = 1; DELETE FROM backup WHERE id = 1")).await.unwrap();
    }

    async fn an_erased_phone_is_on_no_card_but_one_that_is_being_wiped(db) {
        furnish(&db).await;
        run(&db, ON).await.unwrap();
        let placement = |id: i64, phone: i64, card: i64, role: i16| {
            format!("INSERT INTO placement (id, phone_id, card_id, role, is_quarantined, began_at) VALUES ({id}, {phone}, {card}, {role}, FALSE, 0)")
        };
        let release = |phone: i64| format!("UPDATE phone SET life = 5, stays_until = 9 WHERE id = {phone}");
        run(&db, &release(1)).await.unwrap();
        refused(&db, "an erased phone that is on", "UPDATE phone SET life = 6, stays_until = NULL WHERE id = 1").await;
        // As the console does it when its stay is over.
        run(&db, "UPDATE phone SET life = 6, use_type = 2, holds_id = NULL, stays_until = NULL WHERE id = 1; UPDATE placement SET role = 3 WHERE id = 1").await.unwrap();
        for role in [1, 2] {
            refused(&db, "a card that an erased phone comes back to", &format!("UPDATE placement SET role = {role} WHERE id = 1")).await;
            refused(&db, "another card for an erased phone", &placement(2, 1, 2, role)).await;
        }
        // What it has left elsewhere is wiped as well.
        run(&db, &placement(2, 1, 2, 3)).await.unwrap();
        run(&db, "UPDATE placement SET role = 0, ended_at = 1 WHERE phone_id = 1").await.unwrap();
        refused(&db, "a stay of an erased phone that begins again", "UPDATE placement SET role = 2, ended_at = NULL WHERE id = 1").await;
        // One for which a card is prepared is not erased.
        run(&db, &(placement(3, 2, 3, 1) + ";" + &release(2))).await.unwrap();
        let erase = "UPDATE phone SET life = 6, stays_until = NULL WHERE id = 2";
        refused(&db, "the erasure of a phone that is put on", erase).await;
        run(&db, &format!("UPDATE placement SET role = 0, ended_at = 1 WHERE id = 3; {erase}")).await.unwrap();
    }

    async fn copies_go_only_once_a_phone_is_erased(db) {
        furnish(&db).await;
        run(&db, &format!("{ON};{}{OFF}", copy(1, 1, 1, 4))).await.unwrap();
        refused(&db, "the erasure of a phone in use", "UPDATE phone SET life = 6 WHERE id = 1").await;
        run(&db, "UPDATE phone SET life = 5, stays_until = 9 WHERE id = 1").await.unwrap();
        refused(&db, "the deletion of the copy of a released phone", "DELETE FROM backup WHERE id = 1").await;
        run(&db, "UPDATE phone SET life = 6, stays_until = NULL, kept_id = NULL WHERE id = 1; DELETE FROM backup WHERE id = 1").await.unwrap();
        refused(&db, "an erased phone in use again", "UPDATE phone SET life = 2 WHERE id = 1").await;
    }
}
