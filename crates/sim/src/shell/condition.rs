//! `test`, `[` and `[[`.

use std::sync::Arc;

use brush_parser::ast::{BinaryPredicate, ExtendedTestExpr, TestExpr, UnaryPredicate};
use brush_parser::test_command;

use super::{Done, Flow, Later, Shell};
use crate::files::{Inode, Kind, Right};

impl Shell {
    /// `test` with these arguments: 0 true, 1 false, 2 not understood.
    pub(super) async fn test(&self, args: &[String]) -> u8 {
        let Ok(expr) = test_command::parse(args) else {
            self.complain(&format!("{}: unexpected operator/operand", args.last().map_or("", String::as_str))).await;
            return 2;
        };
        match self.test_expr(&expr) {
            Ok(yes) => u8::from(!yes),
            Err(why) => {
                self.complain(&why).await;
                2
            }
        }
    }

    fn test_expr(&self, expr: &TestExpr) -> Result<bool, String> {
        Ok(match expr {
            TestExpr::False => false,
            TestExpr::Literal(text) => !text.is_empty(),
            TestExpr::And(first, second) => self.test_expr(first)? && self.test_expr(second)?,
            TestExpr::Or(first, second) => self.test_expr(first)? || self.test_expr(second)?,
            TestExpr::Not(inner) => !self.test_expr(inner)?,
            TestExpr::Parenthesized(inner) => self.test_expr(inner)?,
            TestExpr::UnaryTest(predicate, text) => self.unary(predicate, text),
            TestExpr::BinaryTest(predicate, first, second) => match self.binary(predicate, first, second)? {
                Some(yes) => yes,
                // `=` takes no patterns here.
                None => (first == second) == is_equality(predicate),
            },
        })
    }

    pub(super) async fn run_extended_test(&mut self, expr: &ExtendedTestExpr) -> Done {
        let yes = self.extended(expr).await?;
        self.status = u8::from(!yes);
        Ok(())
    }

    fn extended<'a>(&'a mut self, expr: &'a ExtendedTestExpr) -> Later<'a, Result<bool, Flow>> {
        Box::pin(async move {
            Ok(match expr {
                ExtendedTestExpr::And(first, second) => self.extended(first).await? && self.extended(second).await?,
                ExtendedTestExpr::Or(first, second) => self.extended(first).await? || self.extended(second).await?,
                ExtendedTestExpr::Not(inner) => !self.extended(inner).await?,
                ExtendedTestExpr::Parenthesized(inner) => self.extended(inner).await?,
                ExtendedTestExpr::UnaryTest(predicate, word) => {
                    let text = self.expand_text(&word.value).await?;
                    self.unary(predicate, &text)
                }
                ExtendedTestExpr::BinaryTest(predicate, first, second) => {
                    let text = self.expand_text(&first.value).await?;
                    let other = self.expand_text(&second.value).await?;
                    match self.binary(predicate, &text, &other) {
                        Ok(Some(yes)) => yes,
                        Ok(None) => {
                            let pattern = self.expand_pattern(&second.value).await?;
                            pattern.matches(&text) == is_equality(predicate)
                        }
                        Err(why) => return self.fatal(&why).await,
                    }
                }
            })
        })
    }

    fn inode(&self, path: &str, follow: bool) -> Option<Arc<Inode>> {
        if path.is_empty() {
            return None;
        }
        self.find(path, follow).ok()?.inode
    }

    fn unary(&self, predicate: &UnaryPredicate, text: &str) -> bool {
        let kind = |wanted| self.inode(text, true).is_some_and(|inode| inode.kind() == wanted);
        let mode = |bits| self.inode(text, true).is_some_and(|inode| inode.mode() & bits != 0);
        let may = |right| !text.is_empty() && self.card.may(self.uid, &self.absolute(text), right);
        match predicate {
            UnaryPredicate::StringHasZeroLength => text.is_empty(),
            UnaryPredicate::StringHasNonZeroLength => !text.is_empty(),
            UnaryPredicate::FileExists => self.inode(text, true).is_some(),
            UnaryPredicate::FileExistsAndIsReadable => may(Right::Read),
            UnaryPredicate::FileExistsAndIsWritable => may(Right::Write),
            UnaryPredicate::FileExistsAndIsDir => kind(Kind::Folder),
            UnaryPredicate::FileExistsAndIsRegularFile => kind(Kind::File),
            UnaryPredicate::FileExistsAndIsCharSpecialFile => kind(Kind::Device),
            UnaryPredicate::FileExistsAndIsSymlink => {
                self.inode(text, false).is_some_and(|inode| inode.kind() == Kind::Link)
            }
            UnaryPredicate::FileExistsAndIsNotZeroLength => {
                self.inode(text, true).is_some_and(|inode| inode.size() > 0)
            }
            UnaryPredicate::FileExistsAndIsExecutable => may(Right::Execute),
            UnaryPredicate::FileExistsAndIsSetuid => mode(0o4000),
            UnaryPredicate::FileExistsAndIsSetgid => mode(0o2000),
            UnaryPredicate::FileExistsAndHasStickyBit => mode(0o1000),
            UnaryPredicate::FileExistsAndOwnedByEffectiveUserId => {
                self.inode(text, true).is_some_and(|inode| inode.meta().uid == self.uid)
            }
            UnaryPredicate::FileExistsAndOwnedByEffectiveGroupId => {
                self.inode(text, true).is_some_and(|inode| inode.meta().gid == self.uid)
            }
            UnaryPredicate::ShellVariableIsSetAndAssigned => self.vars.get(text).is_some(),
            // There is none such on a card.
            UnaryPredicate::FileExistsAndIsBlockSpecialFile
            | UnaryPredicate::FileExistsAndIsFifo
            | UnaryPredicate::FileExistsAndIsSocket
            | UnaryPredicate::FileExistsAndModifiedSinceLastRead
            | UnaryPredicate::FdIsOpenTerminal
            | UnaryPredicate::ShellOptionEnabled
            | UnaryPredicate::ShellVariableIsSetAndNameRef => false,
        }
    }

    /// Whether two texts stand so to one another; `None` for a comparison with a pattern.
    fn binary(&self, predicate: &BinaryPredicate, first: &str, second: &str) -> Result<Option<bool>, String> {
        let number = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("{text}: bad number"));
        let numbers = || Ok::<_, String>((number(first)?, number(second)?));
        let newer = |first: &str, second: &str| match (self.inode(first, true), self.inode(second, true)) {
            (Some(first), Some(second)) => first.meta().modified > second.meta().modified,
            (first, second) => first.is_some() && second.is_none(),
        };
        Ok(Some(match predicate {
            BinaryPredicate::StringExactlyMatchesPattern | BinaryPredicate::StringDoesNotExactlyMatchPattern => {
                return Ok(None);
            }
            BinaryPredicate::StringExactlyMatchesString => first == second,
            BinaryPredicate::StringDoesNotExactlyMatchString => first != second,
            BinaryPredicate::LeftSortsBeforeRight => first < second,
            BinaryPredicate::LeftSortsAfterRight => first > second,
            BinaryPredicate::ArithmeticEqualTo => numbers().map(|(a, b)| a == b)?,
            BinaryPredicate::ArithmeticNotEqualTo => numbers().map(|(a, b)| a != b)?,
            BinaryPredicate::ArithmeticLessThan => numbers().map(|(a, b)| a < b)?,
            BinaryPredicate::ArithmeticLessThanOrEqualTo => numbers().map(|(a, b)| a <= b)?,
            BinaryPredicate::ArithmeticGreaterThan => numbers().map(|(a, b)| a > b)?,
            BinaryPredicate::ArithmeticGreaterThanOrEqualTo => numbers().map(|(a, b)| a >= b)?,
            BinaryPredicate::LeftFileIsNewerOrExistsWhenRightDoesNot => newer(first, second),
            BinaryPredicate::LeftFileIsOlderOrDoesNotExistWhenRightDoes => newer(second, first),
            BinaryPredicate::FilesReferToSameDeviceAndInodeNumbers => {
                let number = |path| self.inode(path, true).map(|inode| inode.number);
                number(first).is_some() && number(first) == number(second)
            }
            BinaryPredicate::StringMatchesRegex | BinaryPredicate::StringContainsSubstring => {
                return Err("syntax error: unexpected operator/operand".into());
            }
        }))
    }
}

const fn is_equality(predicate: &BinaryPredicate) -> bool {
    matches!(predicate, BinaryPredicate::StringExactlyMatchesPattern | BinaryPredicate::StringExactlyMatchesString)
}
