//! Lists, pipelines and compound commands.

use std::sync::Arc;

use brush_parser::ast::{
    AndOr, AndOrList, CaseClauseCommand, CaseItemPostAction, Command, CompoundCommand, CompoundList, ForClauseCommand,
    IfClauseCommand, Pipeline, SeparatorOperator, WhileOrUntilClauseCommand,
};
use futures::future::join_all;

use super::fd::Fd;
use super::pipe::pipe;
use super::{Done, Flow, Later, Shell};

/// After so many commands others get a turn.
const TURN: u32 = 32;

impl Shell {
    /// Runs commands one after the other.
    pub(super) fn run_list<'a>(&'a mut self, list: &'a CompoundList) -> Later<'a, Done> {
        Box::pin(async move {
            for item in &list.0 {
                match item.1 {
                    SeparatorOperator::Async => self.start_job(&item.0).await?,
                    SeparatorOperator::Sequence => self.run_and_or(&item.0).await?,
                }
            }
            Ok(())
        })
    }

    /// Runs a list whose result is only asked for: an error in it is no reason to leave.
    async fn run_tested(&mut self, list: &CompoundList) -> Done {
        self.tested += 1;
        let done = self.run_list(list).await;
        self.tested -= 1;
        done
    }

    pub(super) async fn run_and_or(&mut self, list: &AndOrList) -> Done {
        let last = list.additional.len();
        self.run_pipeline(&list.first, last > 0).await?;
        for (at, next) in list.additional.iter().enumerate() {
            let (wanted, pipeline) = match next {
                AndOr::And(pipeline) => (self.status == 0, pipeline),
                AndOr::Or(pipeline) => (self.status != 0, pipeline),
            };
            if wanted {
                self.run_pipeline(pipeline, at + 1 < last).await?;
            }
        }
        Ok(())
    }

    async fn run_pipeline(&mut self, pipeline: &Pipeline, tested: bool) -> Done {
        let tested = u32::from(tested || pipeline.bang);
        self.tested += tested;
        let done = match pipeline.seq.as_slice() {
            [command] => self.run_command(command).await,
            commands => {
                self.status = self.run_stages(commands).await;
                Ok(())
            }
        };
        self.tested -= tested;
        if pipeline.bang {
            self.status = u8::from(self.status == 0);
        }
        done?;
        self.steps += 1;
        if self.steps.is_multiple_of(TURN) {
            tokio::task::yield_now().await;
        }
        if self.options.errexit && self.status != 0 && self.tested + tested == 0 { Err(Flow::Exit) } else { Ok(()) }
    }

    /// Runs commands side by side, each reading what the one before it writes.
    async fn run_stages(&self, commands: &[Command]) -> u8 {
        let mut stages = Vec::new();
        let mut input = None;
        for (at, command) in commands.iter().enumerate() {
            let mut stage = self.subshell();
            if let Some(input) = input.take() {
                stage.fds[0] = Some(input);
            }
            if at + 1 < commands.len() {
                let (writer, reader) = pipe();
                stage.fds[1] = Some(Fd::Writer(Arc::new(writer)));
                input = Some(Fd::Reader(Arc::new(reader)));
            }
            stages.push(Box::pin(async move {
                let done = stage.run_command(command).await;
                stage.finish(done).await
            }));
        }
        let codes = join_all(stages).await;
        let failed = codes.iter().rev().find(|code| **code != 0 && self.options.pipefail);
        failed.or(codes.last()).copied().unwrap_or(0)
    }

    pub(super) fn run_command<'a>(&'a mut self, command: &'a Command) -> Later<'a, Done> {
        Box::pin(async move {
            let (compound, redirects) = match command {
                Command::Simple(simple) => return self.run_simple(simple).await,
                Command::Function(function) => {
                    self.functions.insert(function.fname.value.clone(), Arc::new(function.body.clone()));
                    self.status = 0;
                    return Ok(());
                }
                Command::Compound(compound, redirects) => (Some(compound), redirects),
                Command::ExtendedTest(_, redirects) => (None, redirects),
            };
            let kept = redirects.as_ref().map(|_| self.fds.clone());
            let redirects = redirects.iter().flat_map(|list| &list.0);
            let done = match self.redirect_all(redirects).await {
                Ok(true) => match (compound, command) {
                    (Some(compound), _) => self.run_compound(compound).await,
                    (None, Command::ExtendedTest(test, _)) => self.run_extended_test(&test.expr).await,
                    (None, _) => Ok(()),
                },
                Ok(false) => {
                    self.status = 1;
                    Ok(())
                }
                Err(flow) => Err(flow),
            };
            if let Some(kept) = kept {
                self.fds = kept;
            }
            done
        })
    }

    pub(super) async fn run_compound(&mut self, compound: &CompoundCommand) -> Done {
        match compound {
            CompoundCommand::BraceGroup(group) => self.run_list(&group.list).await,
            CompoundCommand::Subshell(subshell) => {
                let mut sub = self.subshell();
                let done = sub.run_list(&subshell.list).await;
                self.status = sub.finish(done).await;
                Ok(())
            }
            CompoundCommand::IfClause(clause) => self.run_if(clause).await,
            CompoundCommand::ForClause(clause) => self.run_for(clause).await,
            CompoundCommand::CaseClause(clause) => self.run_case(clause).await,
            CompoundCommand::WhileClause(clause) => self.run_while(clause, true).await,
            CompoundCommand::UntilClause(clause) => self.run_while(clause, false).await,
            CompoundCommand::Arithmetic(arithmetic) => {
                let value = self.calculate(&arithmetic.expr.value).await?;
                self.status = u8::from(value == 0);
                Ok(())
            }
            CompoundCommand::ArithmeticForClause(_) | CompoundCommand::Coprocess(_) => {
                self.fatal("syntax error: this shell has no such command").await
            }
        }
    }

    async fn run_if(&mut self, clause: &IfClauseCommand) -> Done {
        self.run_tested(&clause.condition).await?;
        if self.status == 0 {
            return self.run_list(&clause.then).await;
        }
        for other in clause.elses.iter().flatten() {
            if let Some(condition) = &other.condition {
                self.run_tested(condition).await?;
                if self.status != 0 {
                    continue;
                }
            }
            return self.run_list(&other.body).await;
        }
        self.status = 0;
        Ok(())
    }

    /// What a loop makes of its body's end: whether it goes on.
    fn after_turn(done: Done) -> Result<bool, Flow> {
        match done {
            Ok(()) | Err(Flow::Continue(1)) => Ok(true),
            Err(Flow::Break(1)) => Ok(false),
            Err(Flow::Break(count)) => Err(Flow::Break(count - 1)),
            Err(Flow::Continue(count)) => Err(Flow::Continue(count - 1)),
            Err(flow) => Err(flow),
        }
    }

    async fn run_while(&mut self, clause: &WhileOrUntilClauseCommand, wanted: bool) -> Done {
        self.loops += 1;
        let mut code = 0;
        let done = loop {
            let turn = match self.run_tested(&clause.0).await {
                Ok(()) if (self.status == 0) != wanted => break Ok(()),
                Ok(()) => self.run_list(&clause.1.list).await,
                stopped => stopped,
            };
            match Self::after_turn(turn) {
                Ok(true) => code = self.status,
                Ok(false) => {
                    code = 0;
                    break Ok(());
                }
                Err(flow) => break Err(flow),
            }
        };
        self.loops -= 1;
        if done.is_ok() {
            self.status = code;
        }
        done
    }

    async fn run_for(&mut self, clause: &ForClauseCommand) -> Done {
        let mut values = Vec::new();
        match &clause.values {
            None => values.clone_from(&self.params),
            Some(words) => {
                for word in words {
                    values.extend(self.expand_fields(&word.value).await?);
                }
            }
        }
        self.status = 0;
        self.loops += 1;
        let mut done = Ok(());
        for value in values {
            if !self.vars.set(&clause.variable_name, value) {
                done = self.fatal(&format!("{}: is read only", clause.variable_name)).await;
                break;
            }
            match Self::after_turn(self.run_list(&clause.body.list).await) {
                Ok(true) => {}
                Ok(false) => break,
                Err(flow) => {
                    done = Err(flow);
                    break;
                }
            }
        }
        self.loops -= 1;
        done
    }

    async fn run_case(&mut self, clause: &CaseClauseCommand) -> Done {
        let value = self.expand_text(&clause.value.value).await?;
        self.status = 0;
        let mut runs = false;
        for item in &clause.cases {
            for pattern in &item.patterns {
                if !runs {
                    runs = self.expand_pattern(&pattern.value).await?.matches(&value);
                }
            }
            if !runs {
                continue;
            }
            if let Some(list) = &item.cmd {
                self.run_list(list).await?;
            }
            match item.post_action {
                CaseItemPostAction::ExitCase => break,
                CaseItemPostAction::UnconditionallyExecuteNextCaseItem => {}
                CaseItemPostAction::ContinueEvaluatingCases => runs = false,
            }
        }
        Ok(())
    }
}
