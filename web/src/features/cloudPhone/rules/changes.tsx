import { sorts } from '@/api/words/RuleChangeView'
import { choiceParam, defineFilter, idParam, timeParam } from '@/kit/list/filter'
import { ChoiceFilter, TimeRangeFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { useList } from '@/kit/list/use-list'
import { ReferenceFilter } from '@/kit/reference/reference-filter'
import { plan, ruleField, ruleScope } from '../choices'
import { phones } from '../links'
import { rooms } from '../places'
import { at, what, whom } from './change-columns'
import { changeMessages } from './messages'

const filter = defineFilter(
  {
    scope: choiceParam(ruleScope),
    field: choiceParam(ruleField),
    plan: choiceParam(plan),
    roomId: idParam(),
    phoneId: idParam(),
    startTime: timeParam(),
    endTime: timeParam(),
  },
  sorts,
)

const columns = [at, ...whom, ...what]

/** What was changed in the rules: by whom, for whom, from what to what. */
export default function Changes() {
  const list = useList('phoneRuleChangeList', filter)
  return (
    <ListPage
      messages={changeMessages}
      list={list}
      columns={columns}
      exports={{ operation: 'phoneRuleChangeExport', need: 'phoneRule:export' }}
      filters={
        <>
          <ChoiceFilter name="field" choices={ruleField} />
          <ChoiceFilter name="scope" choices={ruleScope} />
          <ChoiceFilter name="plan" choices={plan} />
          <ReferenceFilter name="roomId" source={rooms} />
          <ReferenceFilter name="phoneId" source={phones} />
          <TimeRangeFilter name="at" />
        </>
      }
    />
  )
}
