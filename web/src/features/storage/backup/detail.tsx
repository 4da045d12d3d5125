import './backup.css'
import type { DataOf, RowOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import type { Action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { DetailDrawer } from '@/kit/detail/detail-drawer'
import { Facts } from '@/kit/detail/facts'
import { DetailLink } from '@/kit/list/detail-link'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { byteSize, grouped } from '@/rules/format'
import { Callout } from '@/ui/callout'
import { StatusTag } from '@/ui/status-tag'
import { clientUserPath } from '../../clientUser/links'
import { phonePath } from '../../cloudPhone/links'
import { cardPath } from '../../device/links'
import { backupKind, backupState } from '../choices'
import { nodePath } from '../links'
import { Contents } from './contents'
import { Took } from './figures'
import { messages } from './messages'

type Backup = DataOf<'backupGet'>

interface DetailProps {
  id: number
  acts: (backup: RowOf<'backupList'>) => readonly Action[]
  onClose: () => void
}

/** One copy: where it lies, and what it holds. */
export default function BackupDetail({ id, acts, onClose }: DetailProps) {
  const m = useMessages(messages)
  const query = useApiQuery('backupGet', { path: { id } })
  return (
    <DetailDrawer
      messages={messages}
      query={query}
      title={({ phone, id }) => `${phone.name ?? phone.id} · ${id}`}
      status={({ state, damage }) =>
        damage ? <StatusTag tone="bad">{m.damaged}</StatusTag> : <ChoiceLabel choices={backupState} value={state} />
      }
      name={({ phone }) => phone.name ?? String(phone.id)}
      actions={acts}
      head={(backup) => (
        <div className="backup-head">
          {backup.damage && (
            <Callout tone="bad" title={m.damagedTitle}>
              <p className="sky-mono">{backup.damage}</p>
              <p>{m.damagedHint}</p>
            </Callout>
          )}
          {backup.reason && <Callout tone="bad" title={backup.reason} />}
          {backup.isVerifying && <Callout tone="info" title={verifyingText(m.verifying, backup.percent)} />}
          {backup.isKept && <Callout tone="good" title={m.kept} />}
          {backup.isShrunk && (
            <Callout tone="warn" title={m.shrunkTitle}>
              <p>{m.shrunkHint}</p>
            </Callout>
          )}
          {backup.leftAt && (
            <Callout tone="info" title={m.leftTitle}>
              <p>{m.leftHint}</p>
            </Callout>
          )}
          {backup.isSalvaged && (
            <Callout tone="info" title={m.salvagedTitle}>
              <p>{m.salvagedHint}</p>
            </Callout>
          )}
          {backup.isRebuilt && (
            <Callout tone="info" title={m.rebuiltTitle}>
              <p>{m.rebuiltHint}</p>
            </Callout>
          )}
          {backup.isLive && (
            <Callout tone="info" title={m.liveTitle}>
              <p>{m.liveHint}</p>
            </Callout>
          )}
        </div>
      )}
      tabs={(backup) => [
        { key: 'overview', label: m.overview, content: <Overview backup={backup} /> },
        { key: 'manifest', label: m.manifest, content: <Contents of={backup.manifest ?? undefined} /> },
      ]}
      onClose={onClose}
    />
  )
}

const verifyingText = (verifying: string, percent: number | null | undefined) =>
  typeof percent === 'number' ? `${verifying} · ${percent} %` : verifying

function Overview({ backup }: { backup: Backup }) {
  const m = useMessages(messages)
  return (
    <Facts
      wide={['snapshot', 'hash', 'place', 'folder']}
      of={{
        id: backup.id,
        phone: <ReferenceText of={backup.phone} to={phonePath(backup.phone.id)} />,
        user: <ReferenceText of={backup.user} to={clientUserPath(backup.user.id)} />,
        kind: <ChoiceLabel choices={backupKind} value={backup.kind} />,
        node: <ReferenceText of={backup.node} to={nodePath(backup.node.id)} />,
        card: backup.card && <ReferenceText of={backup.card} to={cardPath(backup.card.id)} />,
        board: <span className="sky-mono">{backup.board}</span>,
        image: <span className="sky-mono">{backup.image || '—'}</span>,
        bytes: byteSize(backup.bytes),
        addedBytes: byteSize(backup.addedBytes),
        files: grouped(backup.files),
        readFiles: m.readOf(grouped(backup.readFiles), grouped(backup.files)),
        millis: <Took of={backup} />,
        restores: backup.restores,
        beganAt: <TimeText at={backup.beganAt} />,
        verifiedAt: <TimeText at={backup.verifiedAt ?? null} />,
        ...(backup.leftAt && { leftAt: <TimeText at={backup.leftAt} /> }),
        ...(backup.safeUntil && { safeUntil: <TimeText at={backup.safeUntil} /> }),
        parent: backup.parent && <DetailLink id={backup.parent.id}>{String(backup.parent.id)}</DetailLink>,
        snapshot: <span className="sky-mono">{backup.snapshot || '—'}</span>,
        hash: <span className="sky-mono">{backup.hash || '—'}</span>,
        place: <span className="sky-mono">{backup.place}</span>,
        folder: <span className="sky-mono">{backup.folder}</span>,
      }}
    />
  )
}
