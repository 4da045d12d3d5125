import './phones.css'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { LineChart } from '@/kit/chart/chart'
import { Loaded } from '@/kit/loaded'
import { Placeholder } from '@/ui/placeholder'
import { dayAndBefore, ticksOf } from './phone-hours'
import { phoneMessages } from './phone-messages'
import { phoneTiles, storageTile } from './phone-tiles'
import { Tiles } from './tiles'
import { usePhoneFigures, usePhoneHours } from './use-phone-figures'

/** Cloud phones and storage in one line. */
export function PhoneTiles() {
  const language = useLanguage()
  const { phones, storage, seesPhones } = usePhoneFigures()
  const hours = usePhoneHours()
  const ofStorage = storage.data ? [storageTile(storage.data, language)] : []
  if (!seesPhones) return <Loaded query={storage}>{() => <Tiles tiles={ofStorage} />}</Loaded>
  return (
    <Loaded query={phones}>
      {(found) => <Tiles tiles={[...phoneTiles(found, hours.data, language), ...ofStorage]} />}
    </Loaded>
  )
}

/** Put-ons and waits by the hour, of the last day before the day before. */
export function PhoneTrend() {
  const m = useMessages(phoneMessages)
  const hours = usePhoneHours()
  return (
    <Loaded query={hours}>
      {(found) => {
        if (found.every(({ putOn }) => putOn === 0)) return <Placeholder title={m.noHours} />
        const [putOns, waits] = [dayAndBefore(found, ({ putOn }) => putOn), dayAndBefore(found, ({ waitS }) => waitS)]
        const longest = dayAndBefore(found, ({ longestWaitS }) => longestWaitS)
        const shape = { height: 200, ticks: ticksOf(found) }
        return (
          <div className="dashboard-pair">
            <LineChart
              label={m.putOns}
              {...shape}
              series={[
                { name: m.putOns, values: putOns.day },
                { name: m.dayBefore(m.putOns), values: putOns.before, isPast: true },
              ]}
            />
            <LineChart
              label={m.wait}
              {...shape}
              series={[
                { name: m.wait, values: waits.day },
                { name: m.longest, values: longest.day },
                { name: m.dayBefore(m.wait), values: waits.before, isPast: true },
              ]}
            />
          </div>
        )
      }}
    </Loaded>
  )
}
