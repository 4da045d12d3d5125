//! What can go wrong with a request, in the words of the domain.
//!
//! Services return a [`Fault`]; only `http` knows which HTTP status and body status it becomes.

use kernel::rules::{FieldError, Invalid, Violation};
use kernel::text::{Message, Text};
use sea_orm::DbErr;

/// A failure that ends a request.
#[derive(Debug)]
pub enum Fault {
    /// Values that break a rule, each at its field.
    Invalid(Vec<FieldError>),
    /// The thing that was asked for is not there.
    NotFound(Message),
    /// It is there, but not in a state that allows this, or its name is taken.
    Conflict(Message),
    /// A value that has to be unique, and that another record has.
    Taken(FieldError),
    /// A body status of the contract that has no kind of its own, such as 4001.
    Status {
        /// The body status.
        status: i32,
        /// What people are told.
        message: Message,
        /// Fields that have to be given, such as `authCode`.
        errors: Vec<FieldError>,
    },
    /// The session is not good for this call.
    Session(SessionFault),
    /// The operator lacks this permission code.
    Denied(&'static str),
    /// Too many requests; come back after this many seconds.
    TooMany {
        /// Seconds to wait.
        retry_after_s: u64,
    },
    /// Other files are read just now; come back after this many seconds.
    Busy {
        /// How many are read before this one; none if the machine was too slow for it.
        ahead: u64,
        /// Seconds to wait.
        retry_after_s: u64,
    },
    /// The body is larger than this route takes.
    TooLarge,
    /// The file is larger than the `max` bytes that this route takes.
    FileTooLarge {
        /// Bytes.
        max: u64,
    },
    /// A refusal of the file of this name.
    OfFile {
        /// As its sender calls it.
        name: String,
        /// Why it is refused.
        fault: Box<Self>,
    },
    /// The body came too slowly.
    TooSlow,
    /// The body is of a type that this route does not take.
    WrongType(Message),
    /// The path or the method does not exist.
    NoRoute,
    /// Something that the server depends on does not answer.
    Unavailable(anyhow::Error),
    /// A fault of ours. The caller gets the request id, the log gets the chain.
    Internal(anyhow::Error),
}

/// Why a session is not good for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFault {
    /// No token, or one that this server never issued.
    Missing,
    /// The same account signed in elsewhere.
    Displaced,
    /// It ran out, or was ended.
    Expired,
    /// The account was disabled or lost its group.
    Closed,
    /// The password must be changed first.
    MustChangePassword,
}

/// What services return.
pub type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// `text` says what is missing.
    #[must_use]
    pub fn not_found(text: impl Into<Message>) -> Self {
        Self::NotFound(text.into())
    }

    /// `text` says what stands in the way.
    #[must_use]
    pub fn conflict(text: impl Into<Message>) -> Self {
        Self::Conflict(text.into())
    }

    /// One field with a value that breaks a rule.
    #[must_use]
    pub fn field(field: impl Into<String>, violation: Violation) -> Self {
        Self::Invalid(vec![FieldError { field: field.into(), violation }])
    }

    /// `field` has to be unique, and its value is in use.
    #[must_use]
    pub fn taken(field: impl Into<String>) -> Self {
        Self::Taken(FieldError { field: field.into(), violation: Violation::taken() })
    }

    /// The same with the name of the uploaded file that it is about, if it is about the file.
    #[must_use]
    pub fn of_file(self, name: &str) -> Self {
        let is_of_file = if let Self::Invalid(errors) = &self {
            errors.iter().any(|error| error.field == "file")
        } else {
            matches!(self, Self::FileTooLarge { .. } | Self::WrongType(_))
        };
        if name.is_empty() || !is_of_file {
            return self;
        }
        Self::OfFile { name: name.to_owned(), fault: Box::new(self) }
    }

    /// A failure with a body status of its own.
    #[must_use]
    pub fn status(status: i32, text: Text) -> Self {
        Self::Status { status, message: text.into(), errors: Vec::new() }
    }

    /// A fault of ours, from any error.
    #[must_use]
    pub fn internal(error: impl Into<anyhow::Error>) -> Self {
        Self::Internal(error.into())
    }
}

/// What was looked for and may not be there.
pub trait OrMissing<T> {
    /// It, or "not found" in the words of `text`.
    ///
    /// # Errors
    /// When it is not there.
    fn or_missing(self, text: Text) -> Outcome<T>;
}

impl<T> OrMissing<T> for Option<T> {
    fn or_missing(self, text: Text) -> Outcome<T> {
        self.ok_or_else(|| Fault::not_found(text))
    }
}

/// A broken uniqueness rule of `table`, at the field of the input that broke it: `rules` are columns with their fields.
/// SQLite names all columns of a broken index, so that the one that says most comes first.
pub fn unique(table: &'static str, rules: &'static [(&'static str, &'static str)]) -> impl Fn(DbErr) -> Fault + Copy {
    move |error| {
        let broken = rules.iter().find(|(column, _)| db::is_duplicate(&error, table, column));
        broken.map_or_else(|| error.into(), |(_, field)| Fault::taken(*field))
    }
}

impl From<Invalid> for Fault {
    fn from(Invalid(errors): Invalid) -> Self {
        Self::Invalid(errors)
    }
}

impl From<SessionFault> for Fault {
    fn from(fault: SessionFault) -> Self {
        Self::Session(fault)
    }
}

impl From<sea_orm::DbErr> for Fault {
    fn from(error: sea_orm::DbErr) -> Self {
        if db::Trouble::of(&error).is_some() { Self::Unavailable(error.into()) } else { Self::Internal(error.into()) }
    }
}

/// A job that met one tries again, and says so in the log.
impl From<Fault> for queue::JobError {
    fn from(fault: Fault) -> Self {
        if let Fault::Internal(error) | Fault::Unavailable(error) = fault {
            return error.into();
        }
        anyhow::anyhow!("{fault:?}").into()
    }
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Internal(error.into())
    }
}
