//! The pictures of a report: what the model has, in the form that the plots take.
