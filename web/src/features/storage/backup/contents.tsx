import './backup.css'
import type { DataOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { byteSize, grouped } from '@/rules/format'
import { DataTable, freeText } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { StatusTag } from '@/ui/status-tag'
import { dropWhy } from '../choices'
import { messages } from './messages'

type Manifest = NonNullable<DataOf<'backupGet'>['manifest']>

type App = Manifest['packages'][number]

/** Characters of a certificate's hash that tell it from others. */
const begins = 12

/** Who signed a package: the hash of each certificate, whole where one points at it. */
function Signers({ of: { signers } }: { of: App }) {
  if (signers.length === 0) return '—'
  return (
    <span className="sky-mono" title={signers.join('\n')}>
      {signers.map((signer) => signer.slice(0, begins)).join(', ')}
    </span>
  )
}

/** Operations of a package that are named; the others are counted. */
const named = 3

/** Which of Android's operations were set for a package: all of them, where one points at it. */
function Ops({ of: { ops } }: { of: App }) {
  if (ops.length === 0) return '—'
  const more = ops.length - named
  return (
    <span className="sky-mono" title={ops.join('\n')}>
      {ops.slice(0, named).join(', ')}
      {more > 0 && ` +${grouped(more)}`}
    </span>
  )
}

/** Whether a package has keys that stay behind. */
function Keys({ of: { hasKeys } }: { of: App }) {
  const m = useMessages(messages)
  if (hasKeys) return <StatusTag tone="warn">{m.hasKeys}</StatusTag>
  return hasKeys === false ? m.noKeys : '—'
}

/** Who signed the apps that are not the image's, what they may do, and which of them have keys that stay behind. */
function Rights({ of: apps }: { of: readonly App[] }) {
  const m = useMessages(messages)
  if (apps.length === 0) return null
  return (
    <>
      <p>{m.rights}</p>
      <DataTable
        label={m.rights}
        empty={<Placeholder title={m.noApps} />}
        rows={apps}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', title: m.package, render: ({ name }) => <AppName of={name} />, ...freeText },
          { key: 'signers', title: m.signers, render: (app) => <Signers of={app} /> },
          { key: 'grants', title: m.grants, align: 'end', render: ({ grants }) => grouped(grants) },
          { key: 'ops', title: m.ops, render: (app) => <Ops of={app} />, ...freeText },
          { key: 'keys', title: m.keys, render: (app) => <Keys of={app} /> },
        ]}
      />
    </>
  )
}

function AppName({ of: name }: { of: string }) {
  return (
    <span className="sky-mono" title={name}>
      {name}
    </span>
  )
}

/** The files of a package, which lie once on the node for all phones. */
function Apks({ of: { isOwn, isDamaged, apks } }: { of: App }) {
  const m = useMessages(messages)
  if (!isOwn) return '—'
  if (isDamaged) return <StatusTag tone="bad">{m.damaged}</StatusTag>
  return apks.files > 0 ? m.apksOf(byteSize(apks.bytes), grouped(apks.files)) : m.inCopy
}

/** What a copy holds, and what it does not. */
export function Contents({ of }: { of: Manifest | undefined }) {
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
            render: ({ name }) => <AppName of={name} />,
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
          { key: 'apks', title: m.apks, align: 'end', render: (app) => <Apks of={app} /> },
          { key: 'data', title: m.data, align: 'end', render: ({ amount }) => byteSize(amount.bytes) },
          { key: 'count', title: m.count, align: 'end', render: ({ amount }) => grouped(amount.files) },
        ]}
      />
      {of.morePackages > 0 && <p className="sky-soft">{m.more(grouped(of.morePackages))}</p>}
      <Rights of={of.packages.filter(({ isOwn }) => isOwn)} />
      <LeftOut of={of} />
      <Changed of={of} />
    </div>
  )
}

/** What a copy does not hold, and why. */
function LeftOut({ of: { dropped } }: { of: Manifest }) {
  const m = useMessages(messages)
  if (dropped.length === 0) return null
  return (
    <>
      <p>{m.leftOut}</p>
      <DataTable
        label={m.leftOut}
        empty={<Placeholder title={m.noManifest} />}
        rows={dropped}
        rowKey={({ path, why }) => `${why} ${path}`}
        columns={[
          { key: 'path', title: m.path, render: ({ path }) => <span className="sky-mono">{path}</span>, ...freeText },
          { key: 'why', title: m.why, render: ({ why }) => <ChoiceLabel choices={dropWhy} value={why} /> },
          { key: 'data', title: m.data, align: 'end', render: ({ amount }) => byteSize(amount.bytes) },
          { key: 'count', title: m.count, align: 'end', render: ({ amount }) => grouped(amount.files) },
        ]}
      />
    </>
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
