import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { useSession } from '@/access/session'
import type { DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages, useText } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { TimeText } from '@/kit/time-text'
import { deviceNames } from '@/rules/browser'
import { Dialog } from '@/ui/dialog'
import { BellIcon } from '@/ui/shell-icons'
import { messages } from '../messages'
import { IconButton } from './icon-button'

type Notices = DataOf<'ownNoticeList'>

/** Asked for at most this often, however fast somebody goes from page to page. */
const staleTime = 30_000

/** What the person is told about his own account: how much of it is new, and the list. */
export function NoticeBell() {
  const m = useMessages(messages)
  const client = useQueryClient()
  const { pathname } = useLocation()
  const isSignedIn = useSession((session) => session.token !== '')
  const { data } = useApiQuery('ownNoticeList', {}, { suppressNotice: true, staleTime, enabled: isSignedIn })
  const [isOpen, setOpen] = useState(false)
  const unread = data?.unread ?? 0

  // Fetched on navigation: polling would keep a forgotten tab signed in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is the reason to look
  useEffect(() => {
    void client.refetchQueries({ queryKey: ['ownNoticeList'], stale: true })
  }, [client, pathname])

  return (
    <>
      <IconButton label={unread > 0 ? m.noticesNew(unread) : m.notices} onClick={() => setOpen(true)}>
        <BellIcon aria-hidden />
        {unread > 0 && (
          <span className="top-count" aria-hidden>
            {unread}
          </span>
        )}
      </IconButton>
      {isOpen && <NoticeList notices={data} onClose={() => setOpen(false)} />}
    </>
  )
}

function NoticeList({ notices, onClose }: { notices: Notices | undefined; onClose: () => void }) {
  const m = useMessages(messages)
  const shared = useMessages(words)
  const read = useApiMutation('ownNoticeRead', { refresh: ['ownNoticeList'] })
  const list = notices?.list ?? []
  const newest = list[0]?.id
  return (
    <Dialog title={m.notices} onClose={onClose} width={460}>
      {list.length === 0 ? (
        <p className="plain-hint">{m.noticesNone}</p>
      ) : (
        <ul className="top-notices" aria-label={m.notices}>
          {list.map((notice) => (
            <NoticeItem key={notice.id} notice={notice} />
          ))}
        </ul>
      )}
      <div className="shell-dialog-actions">
        {(notices?.unread ?? 0) > 0 && newest !== undefined && (
          <button
            type="button"
            className="plain-button"
            data-primary
            disabled={read.isPending}
            onClick={() => read.mutate({ body: { upTo: newest } })}
          >
            {m.noticesRead}
          </button>
        )}
        <button type="button" className="plain-button" onClick={onClose}>
          {shared.close}
        </button>
      </div>
    </Dialog>
  )
}

function NoticeItem({ notice }: { notice: Notices['list'][number] }) {
  const m = useMessages(messages)
  const { title, at, by, ip, read } = notice
  // A provider, or the browser of a sign-in.
  const detail = useText(deviceNames(notice.detail))
  return (
    <li data-new={!read || undefined}>
      <strong>
        {title}
        {!read && <span className="top-new">{m.noticeNew}</span>}
      </strong>
      <span className="plain-hint">
        <TimeText at={at} /> · {[by, ip, detail].filter((part) => part !== '').join(' · ')}
      </span>
    </li>
  )
}
