use crate::{Error, Place, Problem};

/// A file being read record by record.
///
/// After an error a source stands at the start of the next record that it can find, so that asking
/// on is meaningful; after [`Problem::Io`] it only returns `None`.
pub trait Source {
    /// What one record holds.
    type Record;

    /// The next record; `None` at the end of the file.
    fn next_record(&mut self) -> Option<Result<Self::Record, Error>>;
}

/// Iterates over the records of a file. Memory is bounded by one record, whatever the file's size.
///
/// By default it ends after the first error; [`Records::skip_bad`] makes it go on.
#[derive(Debug)]
pub struct Records<S> {
    source: S,
    skip_bad: bool,
    done: bool,
}

impl<S: Source> Records<S> {
    pub(crate) fn new(source: S) -> Records<S> {
        Records {
            source,
            skip_bad: false,
            done: false,
        }
    }

    /// Whether to go on with the next record after an error. The error is still returned: the
    /// caller counts it or reports it.
    pub fn skip_bad(mut self, skip_bad: bool) -> Records<S> {
        self.skip_bad = skip_bad;
        self
    }

    /// The source of the records, for what it knows beside them (such as a file's header).
    pub fn source(&self) -> &S {
        &self.source
    }
}

impl<S: Source> Iterator for Records<S> {
    type Item = Result<S::Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.source.next_record();
        self.done = match &item {
            None => true,
            Some(Err(error)) => !self.skip_bad || matches!(error.problem, Problem::Io(_)),
            Some(Ok(_)) => false,
        };
        item
    }
}

/// The name of a file, to make errors from.
#[derive(Clone, Debug)]
pub(crate) struct FileName(pub(crate) String);

impl FileName {
    pub(crate) fn error(&self, place: Place, problem: Problem) -> Error {
        Error {
            file: self.0.clone(),
            place,
            problem,
        }
    }
}
