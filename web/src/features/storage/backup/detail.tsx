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
import { DataTable, freeText } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { StatusTag } from '@/ui/status-tag'
import { clientUserPath } from '../../clientUser/links'
import { phonePath } from '../../cloudPhone/links'
import { cardPath } from '../../device/links'
import { backupKind, backupState } from '../choices'
import { nodePath } from '../links'
import { Took } from './figures'
import { messages } from './messages'

type Backup = DataOf<'backupGet'>
type Manifest = NonNullable<Backup['manifest']>

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
        card: <ReferenceText of={backup.card} to={cardPath(backup.card.id)} />,
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

/** The files of a package, which lie once on the node for all phones. */
function Apks({ of: { isOwn, isDamaged, apks } }: { of: Manifest['packages'][number] }) {
  const m = useMessages(messages)
  if (!isOwn) return '—'
  if (isDamaged) return <StatusTag tone="bad">{m.damaged}</StatusTag>
  return apks.files > 0 ? m.apksOf(byteSize(apks.bytes), grouped(apks.files)) : m.inCopy
}

function Contents({ of }: { of: Manifest | undefined }) {
  const m = useMessages(messages)
  if (!of) return <Placeholder title={m.noManifest} />
  const rest = [
    { name: m.shared, amount: of.shared },
    { name: m.packages, amount: of.code },
    { name: m.settings, amount: of.settings },
  ]
  return (
    <div className="backup-manifest">
      <Facts
        wide={['fingerprint']}
        of={{ fingerprint: <span className="sky-mono">{of.image}</span>, entries: grouped(of.entries) }}
      />
      <DataTable
        label={m.manifest}
        empty={<Placeholder title={m.noManifest} />}
        rows={rest}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', title: m.part, render: ({ name }) => name },
          { key: 'data', title: m.data, align: 'end', render: ({ amount }) => byteSize(amount.bytes) },
          { key: 'count', title: m.count, align: 'end', render: ({ amount }) => grouped(amount.files) },
        ]}
      />
      <p>{m.package}</p>
      <DataTable
        label={m.package}
        empty={<Placeholder title={m.noApps} />}
        rows={of.packages}
        rowKey={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: m.package,
            render: ({ name }) => (
              <span className="sky-mono" title={name}>
                {name}
              </span>
            ),
            ...freeText,
          },
          { key: 'own', title: m.packageOrigin, render: ({ isOwn }) => (isOwn ? m.isOwn : m.ofImage) },
          {
            key: 'version',
            title: m.version,
            render: ({ versionName, versionCode }) => (
              <span title={versionCode ? String(versionCode) : undefined}>{versionName || versionCode || '—'}</span>
            ),
          },
          {
            key: 'grants',
            title: m.grants,
            align: 'end',
            render: ({ isOwn, grants }) => (isOwn ? grouped(grants) : '—'),
          },
          { key: 'apks', title: m.apks, align: 'end', render: (app) => <Apks of={app} /> },
          { key: 'data', title: m.data, align: 'end', render: ({ amount }) => byteSize(amount.bytes) },
          { key: 'count', title: m.count, align: 'end', render: ({ amount }) => grouped(amount.files) },
        ]}
      />
      {of.morePackages > 0 && <p className="sky-soft">{m.more(grouped(of.morePackages))}</p>}
      <Changed of={of} />
    </div>
  )
}

/** What has changed under a copy of a phone that went on. */
function Changed({ of: { changed, changedInAll } }: { of: Manifest }) {
  const m = useMessages(messages)
  if (changedInAll === 0) return null
  const more = changedInAll - changed.length
  return (
    <>
      <p>{m.changed(grouped(changedInAll))}</p>
      <ul className="backup-changed sky-mono">
        {changed.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
      {more > 0 && <p className="sky-soft">{m.changedMore(grouped(more))}</p>}
    </>
  )
}
