import { lazy } from 'react'
import { useMessages } from '@/i18n/messages'
import { PartTabs } from '@/kit/part-tabs'
import { partMessages } from './messages'
import { RuleTable } from './table'

const parts = {
  values: { need: 'phoneRule:get', Part: RuleTable },
  own: { need: 'phoneRule:get', Part: lazy(() => import('./own')) },
  changes: { need: 'phoneRule:get', Part: lazy(() => import('./changes')) },
} as const

/** The rules by which phones are used: for everybody and plans, for rooms and single phones, and what was changed. */
export default function RulesPage() {
  return <PartTabs parts={parts} labels={useMessages(partMessages)} />
}
