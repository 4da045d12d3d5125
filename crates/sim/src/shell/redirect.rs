//! Redirections.

use std::sync::Arc;

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoHereDocument, IoRedirect};

use super::fd::{Fd, device};
use super::{Flow, Shell};
use crate::files::{FileError, Kind, Meta};

impl Shell {
    /// Carries out redirections in their order; false, after a complaint, if one failed.
    pub(super) async fn redirect_all(
        &mut self,
        redirects: impl Iterator<Item = &IoRedirect> + Send,
    ) -> Result<bool, Flow> {
        for redirect in redirects {
            if !self.redirect(redirect).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn redirect(&mut self, redirect: &IoRedirect) -> Result<bool, Flow> {
        match redirect {
            IoRedirect::HereDocument(number, document) => {
                let text = self.document(document).await?;
                Ok(self.assign_fd(number.unwrap_or(0), Some(Fd::text(text))))
            }
            IoRedirect::HereString(number, word) => {
                let text = self.expand_text(&word.value).await? + "\n";
                Ok(self.assign_fd(number.unwrap_or(0), Some(Fd::text(text))))
            }
            IoRedirect::OutputAndError(word, append) => {
                let path = self.expand_text(&word.value).await?;
                let kind = if *append { IoFileRedirectKind::Append } else { IoFileRedirectKind::Write };
                let Some(fd) = self.open(&path, &kind).await else { return Ok(false) };
                Ok(self.assign_fd(1, Some(fd.clone())) && self.assign_fd(2, Some(fd)))
            }
            IoRedirect::File(number, kind, target) => self.redirect_file(*number, kind, target).await,
        }
    }

    async fn redirect_file(
        &mut self,
        number: Option<i32>,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
    ) -> Result<bool, Flow> {
        let input = matches!(
            kind,
            IoFileRedirectKind::Read | IoFileRedirectKind::ReadAndWrite | IoFileRedirectKind::DuplicateInput
        );
        let number = number.unwrap_or(i32::from(!input));
        match target {
            IoFileRedirectTarget::Filename(word) => {
                let path = self.expand_text(&word.value).await?;
                let Some(fd) = self.open(&path, kind).await else { return Ok(false) };
                Ok(self.assign_fd(number, Some(fd)))
            }
            IoFileRedirectTarget::Fd(from) => self.duplicate(number, &from.to_string()).await,
            IoFileRedirectTarget::Duplicate(word) => {
                let from = self.expand_text(&word.value).await?;
                self.duplicate(number, &from).await
            }
            IoFileRedirectTarget::ProcessSubstitution(..) => {
                self.fatal("syntax error: this shell has no process substitution").await
            }
        }
    }

    /// `n>&m`, and `n>&-`.
    async fn duplicate(&mut self, number: i32, from: &str) -> Result<bool, Flow> {
        if from == "-" {
            return Ok(self.assign_fd(number, None));
        }
        let fd = from.parse::<usize>().ok().and_then(|from| self.fds.get(from)).cloned().flatten();
        if fd.is_none() {
            self.complain(&format!("{from}: bad file descriptor")).await;
            return Ok(false);
        }
        Ok(self.assign_fd(number, fd))
    }

    fn assign_fd(&mut self, number: i32, fd: Option<Fd>) -> bool {
        match usize::try_from(number).ok().and_then(|number| self.fds.get_mut(number)) {
            Some(place) => {
                *place = fd;
                true
            }
            None => false,
        }
    }

    async fn document(&mut self, document: &IoHereDocument) -> Result<String, Flow> {
        if document.requires_expansion {
            self.expand_document(&document.doc.value).await
        } else {
            Ok(document.doc.value.clone())
        }
    }

    /// Opens a file for a redirection.
    async fn open(&self, path: &str, kind: &IoFileRedirectKind) -> Option<Fd> {
        let full = self.absolute(path);
        if let Some(device) = device(&full) {
            return Some(device);
        }
        let reads = matches!(kind, IoFileRedirectKind::Read);
        let opened = if reads { self.card.open_as(self.uid, &full) } else { self.open_to_write(&full, kind) };
        match opened {
            Ok(inode) => Some(Fd::file(inode, matches!(kind, IoFileRedirectKind::Append))),
            Err(why) => {
                let what = if reads { "open" } else { "create" };
                self.complain(&format!("can't {what} {path}: {}", why.words())).await;
                None
            }
        }
    }

    fn open_to_write(&self, path: &str, kind: &IoFileRedirectKind) -> Result<Arc<crate::files::Inode>, FileError> {
        let mut files = self.files();
        let there = files.resolve(path, true)?.inode;
        let keeps = self.options.noclobber && matches!(kind, IoFileRedirectKind::Write);
        if keeps && there.is_some_and(|there| there.kind() == Kind::File) {
            return Err(FileError::Exists);
        }
        let owned = Meta { uid: self.uid, gid: self.uid, ..Meta::new(0o666 & !self.umask) };
        let inode = files.open(path, owned)?;
        drop(files);
        if matches!(kind, IoFileRedirectKind::Write | IoFileRedirectKind::Clobber) {
            inode.truncate(0)?;
        }
        Ok(inode)
    }
}
