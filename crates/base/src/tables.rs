//! The tables of the domains, as far as others have to know them.

/// A table, as far as backups, and the tests of all tables, have to know it.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The order in which a backup holds its rows; none where it leaves them out, on purpose.
    pub order: Option<&'static str>,
    /// The column that names an uploaded file: a backup knows by it which files it should hold.
    pub file: Option<&'static str>,
    /// Whether rows are only ever added: the database itself refuses to change or delete one, on both engines.
    pub is_append_only: bool,
}

impl Table {
    /// A table that backups hold, its rows by these columns.
    #[must_use]
    pub const fn kept(name: &'static str, order: &'static str) -> Self {
        Self { name, order: Some(order), file: None, is_append_only: false }
    }

    /// A table that backups leave out.
    #[must_use]
    pub const fn left_out(name: &'static str) -> Self {
        Self { name, order: None, file: None, is_append_only: false }
    }

    /// The same with a column that names an uploaded file.
    #[must_use]
    pub const fn with_file(self, column: &'static str) -> Self {
        Self { file: Some(column), ..self }
    }

    /// The same as a table whose rows nobody changes or deletes. Its triggers are in a migration.
    #[must_use]
    pub const fn append_only(self) -> Self {
        Self { is_append_only: true, ..self }
    }
}
