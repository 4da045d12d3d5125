import { type ReactNode, Suspense } from 'react'
import type { DataOf } from '@/api/call'
import { isApiFailure } from '@/api/failure'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { kitMessages } from '@/kit/messages'
import { byteSize, grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { DataTable, freeText, type TableColumn } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { Skeleton } from '@/ui/skeleton'
import { ExcludeButton } from '../../storage/links'
import { dropWhy } from '../choices'
import { coverageMessages } from './coverage-messages'

type Found = NonNullable<DataOf<'phoneCoverage'>['found']>
type Amount = Found['kept']
interface Part {
  name: string
  /** The name is that of a package or a path. */
  isCode?: boolean
  amount: Amount
  why?: ReactNode
  /** What may be done about it. */
  acts?: ReactNode
}

/** What a copy of a phone would hold and what not, read from its card when somebody asks. */
export default function Coverage({ phone }: { phone: number }) {
  const m = useMessages(coverageMessages)
  const k = useMessages(kitMessages)
  const query = useApiQuery('phoneCoverage', { path: { id: phone } }, { suppressNotice: true, enabled: false })
  const { data, error, isFetching } = query
  const look = (
    <Button loading={isFetching} onClick={() => void query.refetch()}>
      {data ? m.again : m.look}
    </Button>
  )
  if (isFetching) return <Skeleton label={m.reading} />
  if (error) return <Placeholder title={isApiFailure(error) ? error.msg : k.network} action={look} />
  if (!data) return <Placeholder title={m.title} hint={m.hint} action={look} />
  return (
    <div className="phone-coverage">
      <Callout tone={data.isCovered ? 'good' : 'bad'} title={data.isCovered ? m.covered : data.reason}>
        {data.detail && <span className="sky-mono">{data.detail}</span>}
      </Callout>
      {data.found && <Parts of={data.found} image={data.imageId ?? undefined} />}
      <p className="kit-tools">
        {look}
        {data.found && <span className="sky-soft">{m.took(Math.ceil(data.found.millis / 1000))}</span>}
      </p>
    </div>
  )
}

function Parts({ of, image }: { of: Found; image: number | undefined }) {
  const m = useMessages(coverageMessages)
  const apps = of.apps.map(({ package: name, amount }) => ({ name, amount, isCode: true }))
  const further = of.moreApps.files > 0 ? [{ name: m.more, amount: of.moreApps }] : []
  const rest = [
    { name: m.shared, amount: of.shared },
    { name: m.settings, amount: of.settings },
    { name: m.packages, amount: of.packages, why: m.packagesHint },
  ]
  return (
    <>
      {of.uncovered.length > 0 && (
        <Section title={m.uncovered} amount={of.uncoveredInAll} hint={m.uncoveredHint}>
          <Table
            label={m.uncovered}
            rows={of.uncovered.map(({ path, amount, mayBeExcluded }) => ({
              name: path,
              amount,
              isCode: true,
              acts: image !== undefined && mayBeExcluded && <ExcludeButton image={image} path={`/data/${path}`} />,
            }))}
          />
        </Section>
      )}
      <Section title={m.kept} amount={of.kept}>
        <Table label={m.kept} rows={rest} />
        <h4>{m.apps(of.apps.length)}</h4>
        <Table label={m.apps(of.apps.length)} rows={[...apps, ...further]} />
      </Section>
      <Section title={m.dropped}>
        <Table
          label={m.dropped}
          rows={of.dropped.map(({ path, why, amount }) => ({
            name: path,
            amount,
            isCode: true,
            why: <ChoiceLabel choices={dropWhy} value={why} />,
          }))}
        />
      </Section>
    </>
  )
}

function Section(props: { title: string; amount?: Amount; hint?: string; children: ReactNode }) {
  const m = useMessages(coverageMessages)
  const { title, amount, hint, children } = props
  return (
    <div>
      <h3>
        {title}{' '}
        {amount && (
          <span className="sky-soft">
            {byteSize(amount.bytes)} · {m.files(amount.files)}
          </span>
        )}
      </h3>
      {hint && <p className="sky-soft">{hint}</p>}
      {children}
    </div>
  )
}

function Table({ label, rows }: { label: string; rows: readonly Part[] }) {
  const m = useMessages(coverageMessages)
  const k = useMessages(kitMessages)
  const columns: TableColumn<Part>[] = [
    {
      key: 'name',
      title: m.name,
      render: ({ name, isCode }) => (
        <span className={isCode ? 'sky-mono' : ''} title={name}>
          {name}
        </span>
      ),
      ...freeText,
    },
    { key: 'amount', title: m.amount, align: 'end', render: ({ amount }) => byteSize(amount.bytes) },
    { key: 'count', title: m.count, align: 'end', render: ({ amount }) => grouped(amount.files) },
    ...(rows.some(({ why }) => why)
      ? [{ key: 'why', title: m.why, render: ({ why }: Part) => why ?? '' } satisfies TableColumn<Part>]
      : []),
    ...(rows.some(({ acts }) => acts)
      ? [
          {
            key: 'acts',
            title: k.acts,
            render: ({ acts }: Part) => <Suspense>{acts}</Suspense>,
          } satisfies TableColumn<Part>,
        ]
      : []),
  ]
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
      empty={<Placeholder title={m.none} />}
    />
  )
}
