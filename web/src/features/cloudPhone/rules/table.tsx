import './rules.css'
import { useQueries } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { q } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { Labels, useLabels } from '@/kit/labels'
import { Loaded } from '@/kit/loaded'
import { useActions } from '@/kit/use-actions'
import { DataTable, type TableColumn } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { plan, ruleScope } from '../choices'
import { messages } from './messages'
import { inheritedText, type Key, keys, type RuleView, scopeText, type Target, targetOf, valueText } from './values'

const RuleDrawer = lazy(() => import('./rule-drawer'))

const { everybody, plan: ofPlan } = ruleScope.value

/** Everybody, and each plan. */
const targets: readonly Target[] = [
  { scope: everybody },
  ...plan.list.map(({ value }) => ({ scope: ofPlan, plan: value })),
]

/** What holds for everybody and for each plan: what each has of its own, and what it inherits. */
export function RuleTable() {
  const m = useMessages(messages)
  const queries = useQueries({ queries: targets.map((query) => q('phoneRuleGet', { query })) })
  const views = queries.flatMap(({ data }) => data ?? [])
  const failed = queries.find(({ error }) => error)
  const whole = {
    data: views.length === targets.length ? views : undefined,
    error: failed?.error ?? null,
    refetch: () => queries.map((query) => query.refetch()),
  }
  return (
    <Labels messages={messages}>
      <section className="kit-settings rule-table" aria-label={m.fields.rule}>
        <Loaded query={whole}>{(all) => <Table views={all} />}</Loaded>
      </section>
    </Labels>
  )
}

function Table({ views }: { views: readonly RuleView[] }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const labels = useLabels()
  const runner = useActions()
  const [open, setOpen] = useState<Target>()
  const name = (view: RuleView) => scopeText(view.of, language)
  const columns: TableColumn<Key>[] = [
    { key: 'rule', title: m.fields.rule, render: (key) => labels[key], pin: 'start' },
    ...views.map((view) => ({
      key: String(view.of.plan ?? view.of.scope),
      title: name(view),
      render: (key: Key) => <Value of={view} name={key} />,
    })),
  ]
  const acts = views.map((view) =>
    action(m.change(name(view)), { need: 'phoneRule:update', run: () => setOpen(targetOf(view.of)) }),
  )
  return (
    <>
      <header>
        <div className="sky-soft">
          <p>{m.hint}</p>
          <p>{m.obeyed}</p>
        </div>
        <span className="kit-tools">
          <ActionButtons acts={acts} runner={runner} />
        </span>
      </header>
      <DataTable
        label={m.fields.rule}
        columns={columns}
        rows={keys}
        rowKey={(key) => key}
        tooWide="scroll"
        empty={<Placeholder title={m.none} />}
      />
      {runner.host}
      <Suspense>{open && <RuleDrawer target={open} onClose={() => setOpen(undefined)} />}</Suspense>
    </>
  )
}

/** The value of a rule; one that is inherited stands back, and says where it comes from. */
function Value({ of, name }: { of: RuleView; name: Key }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const own = valueText(of.own, name, language)
  if (own !== undefined) return <strong>{own}</strong>
  const { text, from } = inheritedText(of, name, language)
  return (
    <span className="sky-soft" title={m.inherits(text, from)}>
      {text}
    </span>
  )
}
