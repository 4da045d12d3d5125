//! Good files of every kind, and hostile ones.

mod certificates;
mod confine;
mod fuzz;
mod pictures;
mod programs;
mod support;
mod tars;
mod zips;
