//! The operators on values.

use std::rc::Rc;

use super::super::json::Json;
use super::super::stack::Stop;
use super::super::syntax::Operator;

pub(super) fn calculate(operator: Operator, a: Json, b: Json) -> Result<Json, Stop> {
    Ok(match operator {
        Operator::Add => a.add(b)?,
        Operator::Subtract => a.subtract(b)?,
        Operator::Multiply => a.multiply(b)?,
        Operator::Divide => a.divide(b)?,
        Operator::Remainder => a.remainder(b)?,
        Operator::Equal => (a == b).into(),
        Operator::Unequal => (a != b).into(),
        Operator::Less => a.order(&b).is_lt().into(),
        Operator::LessEqual => a.order(&b).is_le().into(),
        Operator::Greater => a.order(&b).is_gt().into(),
        Operator::GreaterEqual => a.order(&b).is_ge().into(),
    })
}

pub(super) fn negated(value: Json) -> Result<Json, Stop> {
    match value {
        Json::Num(number, None) => Ok((-number).into()),
        Json::Num(number, Some(text)) => {
            let text = match text.strip_prefix('-') {
                Some(rest) => Rc::from(rest),
                None => Rc::from(format!("-{text}")),
            };
            Ok(Json::Num(-number, Some(text)))
        }
        other => Err(format!("{} cannot be negated", other.described()).into()),
    }
}
