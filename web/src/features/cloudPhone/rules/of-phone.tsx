import { lazy, Suspense, useState } from 'react'
import type { DataOf } from '@/api/call'
import { useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { Loaded } from '@/kit/loaded'
import { useActions } from '@/kit/use-actions'
import { DataTable, type TableColumn } from '@/ui/data-table'
import { Placeholder } from '@/ui/placeholder'
import { ruleScope } from '../choices'
import { messages } from './messages'
import { keyOf, scopeText, valueText } from './values'

const RuleDrawer = lazy(() => import('./rule-drawer'))

type Held = DataOf<'phoneRuleHeld'>
type Origin = Held['origins'][number]

/** The rules that hold for a phone, and where each comes from. One that is erased has none of its own any more. */
export default function RulesOfPhone({ phone, isErased }: { phone: { id: number; code: string }; isErased: boolean }) {
  const m = useMessages(messages)
  const query = useApiQuery('phoneRuleHeld', { path: { id: phone.id } }, { suppressNotice: true })
  const runner = useActions()
  const [isOpen, setOpen] = useState(false)
  const change = action(m.change(phone.code), { need: 'phoneRule:update', run: () => setOpen(true) })
  return (
    <div className="kit-inner">
      <p className="kit-tools">
        <span className="sky-soft">{m.heldHint}</span>
        <span className="kit-gap" />
        <ActionButtons acts={isErased ? [] : [change]} runner={runner} />
      </p>
      <Loaded query={query}>{(held) => <Table of={held} />}</Loaded>
      {runner.host}
      <Suspense>
        {isOpen && (
          <RuleDrawer target={{ scope: ruleScope.value.phone, phoneId: phone.id }} onClose={() => setOpen(false)} />
        )}
      </Suspense>
    </div>
  )
}

function Table({ of }: { of: Held }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const value = ({ field }: Origin) => {
    const key = keyOf(field)
    return key && valueText(of.values, key, language)
  }
  const name = ({ field }: Origin) => {
    const key = keyOf(field)
    return key ? m.fields[key] : String(field)
  }
  const columns: TableColumn<Origin>[] = [
    { key: 'rule', title: m.fields.rule, render: name },
    { key: 'value', title: m.fields.value, render: value },
    {
      key: 'from',
      title: m.fields.from,
      render: ({ from }) => <span className={from ? '' : 'sky-soft'}>{scopeText(from, language)}</span>,
    },
  ]
  return (
    <DataTable
      label={m.fields.rule}
      columns={columns}
      rows={of.origins}
      rowKey={({ field }) => String(field)}
      empty={<Placeholder title={m.none} />}
    />
  )
}
