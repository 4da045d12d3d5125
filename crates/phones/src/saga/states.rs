//! Which rows are meant, written as in the partial indexes: a bound value would not use them.

/// A saga that waits for its turn.
pub const WAITS: &str = "state = 1";
/// A saga that locks its phone and is not over.
pub const LOCKED: &str = "locks_phone AND state IN (1, 2, 3, 6)";
/// A step that no agent has yet.
pub const STEP_WAITS: &str = "state = 1";
/// A step that an agent has.
pub const STEP_RUNS: &str = "state = 2";

#[cfg(test)]
mod tests {
    use entity::saga::SagaState;
    use entity::saga_step::StepState;

    #[test]
    fn the_indexes_mean_the_states_that_their_names_say() {
        assert_eq!(super::WAITS, format!("state = {}", SagaState::Waiting.code()));
        assert_eq!(super::STEP_WAITS, format!("state = {}", StepState::Waiting.code()));
        assert_eq!(super::STEP_RUNS, format!("state = {}", StepState::Running.code()));
        let open: Vec<String> =
            SagaState::ALL.iter().filter(|state| !state.is_over()).map(|state| state.code().to_string()).collect();
        assert_eq!(super::LOCKED, format!("locks_phone AND state IN ({})", open.join(", ")));
    }
}
