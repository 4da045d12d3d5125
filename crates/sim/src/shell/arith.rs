//! Arithmetic, in 32 bits as `mksh` does it.

use brush_parser::arithmetic;
use brush_parser::ast::{ArithmeticExpr, ArithmeticTarget, BinaryOperator, UnaryAssignmentOperator, UnaryOperator};

use super::{Flow, Shell};

/// Variables that name variables, at most.
const DEPTH: u32 = 16;

impl Shell {
    /// The value of an expression, in which `$x` is expanded first.
    pub(super) async fn calculate(&mut self, text: &str) -> Result<i32, Flow> {
        let text = self.expand_document(text).await?;
        match self.evaluate_text(text.trim(), 0) {
            Ok(value) => Ok(value),
            Err(why) => self.fatal(&format!("{}: {why}", text.trim())).await,
        }
    }

    fn evaluate_text(&mut self, text: &str, depth: u32) -> Result<i32, String> {
        if depth > DEPTH {
            return Err("expression recurses on parameter".into());
        }
        // A leading zero is no octal number here.
        if let Some(decimal) =
            text.strip_prefix('0').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        {
            return Ok(wrapped(decimal.parse::<i64>().unwrap_or(0)));
        }
        let expr = arithmetic::parse(text).map_err(|_| "syntax error in expression".to_owned())?;
        self.evaluate(&expr, depth)
    }

    fn evaluate(&mut self, expr: &ArithmeticExpr, depth: u32) -> Result<i32, String> {
        Ok(match expr {
            ArithmeticExpr::Literal(value) => wrapped(*value),
            ArithmeticExpr::Reference(target) => self.look_up(target, depth)?,
            ArithmeticExpr::UnaryOp(operator, value) => {
                let value = self.evaluate(value, depth)?;
                match operator {
                    UnaryOperator::UnaryPlus => value,
                    UnaryOperator::UnaryMinus => value.wrapping_neg(),
                    UnaryOperator::BitwiseNot => !value,
                    UnaryOperator::LogicalNot => i32::from(value == 0),
                }
            }
            ArithmeticExpr::BinaryOp(BinaryOperator::LogicalAnd, first, second) => {
                i32::from(self.evaluate(first, depth)? != 0 && self.evaluate(second, depth)? != 0)
            }
            ArithmeticExpr::BinaryOp(BinaryOperator::LogicalOr, first, second) => {
                i32::from(self.evaluate(first, depth)? != 0 || self.evaluate(second, depth)? != 0)
            }
            ArithmeticExpr::BinaryOp(operator, first, second) => {
                let first = self.evaluate(first, depth)?;
                apply(*operator, first, self.evaluate(second, depth)?)?
            }
            ArithmeticExpr::Conditional(condition, yes, no) => {
                let chosen = if self.evaluate(condition, depth)? != 0 { yes } else { no };
                self.evaluate(chosen, depth)?
            }
            ArithmeticExpr::Assignment(target, value) => {
                let value = self.evaluate(value, depth)?;
                self.assign(target, value)?
            }
            ArithmeticExpr::BinaryAssignment(operator, target, value) => {
                let value = self.evaluate(value, depth)?;
                let value = apply(*operator, self.look_up(target, depth)?, value)?;
                self.assign(target, value)?
            }
            ArithmeticExpr::UnaryAssignment(operator, target) => {
                let old = self.look_up(target, depth)?;
                let up = matches!(
                    operator,
                    UnaryAssignmentOperator::PrefixIncrement | UnaryAssignmentOperator::PostfixIncrement
                );
                let new = self.assign(target, if up { old.wrapping_add(1) } else { old.wrapping_sub(1) })?;
                let before = matches!(
                    operator,
                    UnaryAssignmentOperator::PrefixIncrement | UnaryAssignmentOperator::PrefixDecrement
                );
                if before { new } else { old }
            }
        })
    }

    fn look_up(&mut self, target: &ArithmeticTarget, depth: u32) -> Result<i32, String> {
        let ArithmeticTarget::Variable(name) = target else { return Err("this shell has no arrays".into()) };
        let value = match name.as_str() {
            "RANDOM" => Some((self.card.fresh() % 32_768).to_string()),
            name => self.vars.get(name).map(|value| value.trim().to_owned()),
        };
        match value {
            None => Ok(0),
            Some(value) if value.is_empty() => Ok(0),
            Some(value) => self.evaluate_text(&value, depth + 1),
        }
    }

    fn assign(&mut self, target: &ArithmeticTarget, value: i32) -> Result<i32, String> {
        let ArithmeticTarget::Variable(name) = target else { return Err("this shell has no arrays".into()) };
        if self.vars.set(name, value.to_string()) { Ok(value) } else { Err(format!("{name}: is read only")) }
    }
}

/// The lower 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "that is what mksh does")]
const fn wrapped(value: i64) -> i32 {
    value as i32
}

fn apply(operator: BinaryOperator, first: i32, second: i32) -> Result<i32, String> {
    let shift = u32::try_from(second & 31).unwrap_or(0);
    Ok(match operator {
        BinaryOperator::Power => first.wrapping_pow(u32::try_from(second).map_err(|_| "bad exponent")?),
        BinaryOperator::Multiply => first.wrapping_mul(second),
        BinaryOperator::Divide | BinaryOperator::Modulo if second == 0 => return Err("zero divisor".into()),
        BinaryOperator::Divide => first.wrapping_div(second),
        BinaryOperator::Modulo => first.wrapping_rem(second),
        BinaryOperator::Comma => second,
        BinaryOperator::Add => first.wrapping_add(second),
        BinaryOperator::Subtract => first.wrapping_sub(second),
        BinaryOperator::ShiftLeft => first.wrapping_shl(shift),
        BinaryOperator::ShiftRight => first.wrapping_shr(shift),
        BinaryOperator::LessThan => i32::from(first < second),
        BinaryOperator::LessThanOrEqualTo => i32::from(first <= second),
        BinaryOperator::GreaterThan => i32::from(first > second),
        BinaryOperator::GreaterThanOrEqualTo => i32::from(first >= second),
        BinaryOperator::Equals => i32::from(first == second),
        BinaryOperator::NotEquals => i32::from(first != second),
        BinaryOperator::BitwiseAnd => first & second,
        BinaryOperator::BitwiseXor => first ^ second,
        BinaryOperator::BitwiseOr => first | second,
        BinaryOperator::LogicalAnd => i32::from(first != 0 && second != 0),
        BinaryOperator::LogicalOr => i32::from(first != 0 || second != 0),
    })
}
