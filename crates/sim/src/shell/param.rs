//! `$x` and `${x...}`.

use brush_parser::word::{Parameter, ParameterExpr, ParameterTestType, SpecialParameter, SubstringMatchKind};

use super::fields::{Atom, joined, pattern};
use super::{Flow, Shell};

impl Shell {
    /// The value of a parameter that is one text.
    fn param(&self, parameter: &Parameter) -> Option<String> {
        match parameter {
            Parameter::Positional(0) | Parameter::Special(SpecialParameter::ShellName) => Some(self.name.clone()),
            Parameter::Positional(number) => {
                self.params.get(usize::try_from(*number).unwrap_or(usize::MAX).wrapping_sub(1)).cloned()
            }
            Parameter::Named(name) => match name.as_str() {
                "PWD" => Some(self.cwd.clone()),
                "RANDOM" => Some((self.card.fresh() % 32_768).to_string()),
                "SECONDS" => Some(format!("{:.0}", self.card.uptime())),
                "PPID" => Some("1".into()),
                name => self.vars.get(name).map(str::to_owned),
            },
            Parameter::NamedWithIndex { name, index } if index == "0" => self.vars.get(name).map(str::to_owned),
            Parameter::NamedWithAllIndices { name, .. } => self.vars.get(name).map(str::to_owned),
            Parameter::NamedWithIndex { .. } => None,
            Parameter::Special(special) => match special {
                SpecialParameter::AllPositionalParameters { .. } => {
                    Some(self.params.join(" ")).filter(|_| !self.params.is_empty())
                }
                SpecialParameter::PositionalParameterCount => Some(self.params.len().to_string()),
                SpecialParameter::LastExitStatus => Some(self.status.to_string()),
                SpecialParameter::CurrentOptionFlags => Some(self.flags()),
                SpecialParameter::ProcessId => Some(self.pid.to_string()),
                SpecialParameter::LastBackgroundProcessId => self.last_job.map(|pid| pid.to_string()),
                SpecialParameter::ShellName => Some(self.name.clone()),
            },
        }
    }

    fn flags(&self) -> String {
        let options = &self.options;
        let all =
            [(options.errexit, 'e'), (options.noglob, 'f'), (true, 'h'), (options.nounset, 'u'), (options.xtrace, 'x')];
        all.into_iter().filter(|flag| flag.0).map(|flag| flag.1).collect()
    }

    /// The value, or an error where unset ones are errors.
    async fn value(&mut self, parameter: &Parameter) -> Result<String, Flow> {
        match self.param(parameter) {
            Some(value) => Ok(value),
            None if self.options.nounset && !is_list(parameter) => {
                self.fatal(&format!("{}: parameter not set", name_of(parameter))).await
            }
            None => Ok(String::new()),
        }
    }

    /// `$@` and `$*`.
    fn all_params(&self, concatenate: bool, quoted: bool, out: &mut Vec<Atom>) {
        if concatenate && quoted {
            let separators = self.vars.get("IFS").unwrap_or(" ");
            let separator = separators.chars().next().map(String::from).unwrap_or_default();
            out.push(Atom::plain(self.params.join(&separator), true));
            return;
        }
        for (at, param) in self.params.iter().enumerate() {
            if at > 0 {
                out.push(Atom::Cut);
            }
            out.push(Atom::expanded(param.clone(), quoted));
        }
    }

    pub(super) async fn expand_param(
        &mut self,
        expr: &ParameterExpr,
        quoted: bool,
        out: &mut Vec<Atom>,
    ) -> Result<(), Flow> {
        let text = match expr {
            ParameterExpr::Parameter {
                parameter: Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate }),
                ..
            } => {
                self.all_params(*concatenate, quoted, out);
                return Ok(());
            }
            ParameterExpr::Parameter { parameter, .. } => self.value(parameter).await?,
            ParameterExpr::UseDefaultValues { parameter, test_type, default_value, .. } => {
                match self.param(parameter).filter(|value| is_set(value, test_type)) {
                    Some(_) if is_list(parameter) => {
                        self.all_params(false, quoted, out);
                        return Ok(());
                    }
                    Some(value) => value,
                    None => return self.insert_inner(default_value.as_deref(), quoted, out).await,
                }
            }
            ParameterExpr::UseAlternativeValue { parameter, test_type, alternative_value, .. } => {
                if self.param(parameter).filter(|value| is_set(value, test_type)).is_none() {
                    if quoted {
                        out.push(Atom::plain("", true));
                    }
                    return Ok(());
                }
                return self.insert_inner(alternative_value.as_deref(), quoted, out).await;
            }
            ParameterExpr::AssignDefaultValues { parameter, test_type, default_value, .. } => {
                match self.param(parameter).filter(|value| is_set(value, test_type)) {
                    Some(value) => value,
                    None => self.assign_default(parameter, default_value.as_deref()).await?,
                }
            }
            ParameterExpr::IndicateErrorIfNullOrUnset { parameter, test_type, error_message, .. } => {
                match self.param(parameter).filter(|value| is_set(value, test_type)) {
                    Some(value) => value,
                    None => {
                        let message = self.inner_text(error_message.as_deref()).await?;
                        let message = if message.is_empty() { "parameter null or not set" } else { &message };
                        return self.fatal(&format!("{}: {message}", name_of(parameter))).await;
                    }
                }
            }
            ParameterExpr::ParameterLength { parameter, .. } if is_list(parameter) => self.params.len().to_string(),
            ParameterExpr::ParameterLength { parameter, .. } => {
                self.value(parameter).await?.chars().count().to_string()
            }
            ParameterExpr::RemoveSmallestSuffixPattern { parameter, pattern, .. } => {
                self.trimmed(parameter, pattern.as_deref(), false, false).await?
            }
            ParameterExpr::RemoveLargestSuffixPattern { parameter, pattern, .. } => {
                self.trimmed(parameter, pattern.as_deref(), false, true).await?
            }
            ParameterExpr::RemoveSmallestPrefixPattern { parameter, pattern, .. } => {
                self.trimmed(parameter, pattern.as_deref(), true, false).await?
            }
            ParameterExpr::RemoveLargestPrefixPattern { parameter, pattern, .. } => {
                self.trimmed(parameter, pattern.as_deref(), true, true).await?
            }
            ParameterExpr::Substring { parameter, offset, length, .. } => {
                let value = self.value(parameter).await?;
                let offset = self.calculate(&offset.value).await?;
                let length = match length {
                    Some(length) => Some(self.calculate(&length.value).await?),
                    None => None,
                };
                substring(&value, offset, length)
            }
            ParameterExpr::ReplaceSubstring { parameter, pattern: text, replacement, match_kind, .. } => {
                let value = self.value(parameter).await?;
                let what = pattern(&self.atoms(text).await?);
                let with = self.inner_text(replacement.as_deref()).await?;
                match match_kind {
                    SubstringMatchKind::FirstOccurrence => what.replaced(&value, &with, false),
                    SubstringMatchKind::Anywhere => what.replaced(&value, &with, true),
                    SubstringMatchKind::Prefix => {
                        let rest = what.without_prefix(&value, true);
                        if rest.len() < value.len() { with + &rest } else { value }
                    }
                    SubstringMatchKind::Suffix => {
                        let rest = what.without_suffix(&value, true);
                        if rest.len() < value.len() { rest + &with } else { value }
                    }
                }
            }
            // mksh has none of these.
            ParameterExpr::Transform { .. }
            | ParameterExpr::UppercaseFirstChar { .. }
            | ParameterExpr::UppercasePattern { .. }
            | ParameterExpr::LowercaseFirstChar { .. }
            | ParameterExpr::LowercasePattern { .. }
            | ParameterExpr::VariableNames { .. }
            | ParameterExpr::MemberKeys { .. } => return self.fatal("bad substitution").await,
        };
        out.push(Atom::expanded(text, quoted));
        Ok(())
    }

    async fn insert_inner(&mut self, text: Option<&str>, quoted: bool, out: &mut Vec<Atom>) -> Result<(), Flow> {
        let atoms = self.inner(text.unwrap_or_default(), quoted).await?;
        // What stands there unquoted is split as if it had been expanded.
        out.extend(atoms.into_iter().map(|atom| match atom {
            Atom::Text { text, quoted: false, .. } => Atom::expanded(text, false),
            atom @ (Atom::Text { .. } | Atom::Cut) => atom,
        }));
        Ok(())
    }

    async fn inner_text(&mut self, text: Option<&str>) -> Result<String, Flow> {
        Ok(joined(&self.atoms(text.unwrap_or_default()).await?))
    }

    async fn assign_default(&mut self, parameter: &Parameter, default: Option<&str>) -> Result<String, Flow> {
        let value = self.inner_text(default).await?;
        let Parameter::Named(name) = parameter else {
            return self.fatal(&format!("{}: cannot assign in this way", name_of(parameter))).await;
        };
        if !self.vars.set(name, value.clone()) {
            return self.fatal(&format!("{name}: is read only")).await;
        }
        Ok(value)
    }

    async fn trimmed(
        &mut self,
        parameter: &Parameter,
        text: Option<&str>,
        prefix: bool,
        longest: bool,
    ) -> Result<String, Flow> {
        let value = self.value(parameter).await?;
        let what = pattern(&self.atoms(text.unwrap_or_default()).await?);
        Ok(if prefix { what.without_prefix(&value, longest) } else { what.without_suffix(&value, longest) })
    }
}

fn is_set(value: &str, test: &ParameterTestType) -> bool {
    matches!(test, ParameterTestType::Unset) || !value.is_empty()
}

const fn is_list(parameter: &Parameter) -> bool {
    matches!(parameter, Parameter::Special(SpecialParameter::AllPositionalParameters { .. }))
}

fn name_of(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Named(name) => name.clone(),
        Parameter::Positional(number) => number.to_string(),
        other @ (Parameter::Special(_) | Parameter::NamedWithIndex { .. } | Parameter::NamedWithAllIndices { .. }) => {
            other.to_string().trim_start_matches('$').to_owned()
        }
    }
}

/// `${x:offset:length}`.
fn substring(value: &str, offset: i32, length: Option<i32>) -> String {
    let chars: Vec<char> = value.chars().collect();
    let count = i32::try_from(chars.len()).unwrap_or(i32::MAX);
    let start = if offset < 0 { count + offset } else { offset };
    if start < 0 || start > count {
        return String::new();
    }
    let end = match length {
        Some(length) if length < 0 => count + length,
        Some(length) => start.saturating_add(length).min(count),
        None => count,
    };
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end.max(start)).unwrap_or(0);
    chars[range].iter().collect()
}
