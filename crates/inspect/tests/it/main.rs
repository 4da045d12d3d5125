//! Good files of every kind, and hostile ones.

mod certificates;
mod confine;
mod fuzz;
mod pictures;
mod profiles;
mod programs;
mod support;
mod tars;
mod zips;
