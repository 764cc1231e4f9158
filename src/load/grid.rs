//! Several values of one option: each combination is a run of its own.

use super::arguments::Process;

/// What differs between the runs of one process of settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    /// Connections.
    pub threads: u64,
    /// Rows of a statement.
    pub batch_size: u64,
    /// Rows of an iteration.
    pub total: u64,
    /// How often the load is sent.
    pub iterations: u64,
}

impl Cell {
    /// Rows of all iterations.
    pub(super) fn rows(&self) -> u64 {
        self.total.saturating_mul(self.iterations)
    }
}

/// All runs: for each a cell of every process, in the order of the processes. What stands first on this list changes last: total,
/// iterations, batch size, threads.
pub(super) fn expand(processes: &[Process]) -> Vec<Vec<Cell>> {
    let mut runs: Vec<Vec<Cell>> = vec![Vec::new()];
    for process in processes {
        let cells = cells(process);
        runs = runs.iter().flat_map(|run| cells.iter().map(|cell| run.iter().copied().chain([*cell]).collect())).collect();
    }
    runs
}

fn cells(process: &Process) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &total in &process.total {
        for &iterations in &process.iterations {
            for &batch_size in &process.batch_size {
                cells.extend(process.threads.iter().map(|&threads| Cell { threads, batch_size, total, iterations }));
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::super::arguments::tests::processes;
    use super::*;

    #[test]
    fn all_combinations_in_order() {
        let read = processes(&["--load=SELECT 1", "--total=10", "--threads=1,2", "--batch-size=5,6"]).unwrap_or_else(|e| panic!("{e}"));
        let seen: Vec<(u64, u64)> = expand(&read).iter().map(|run| (run[0].threads, run[0].batch_size)).collect();
        assert_eq!(seen, [(1, 5), (2, 5), (1, 6), (2, 6)]);
        let read = processes(&["--load=a", "--total=1,2", "--together", "--load=b", "--total=3", "--threads=1,2", "--iterations=4"])
            .unwrap_or_else(|e| panic!("{e}"));
        let seen: Vec<(u64, u64, u64)> = expand(&read).iter().map(|run| (run[0].rows(), run[1].rows(), run[1].threads)).collect();
        assert_eq!(seen, [(1, 12, 1), (1, 12, 2), (2, 12, 1), (2, 12, 2)]);
    }
}
