import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { fakeServer, good, show } from '@/testing/render'
import { PhoneTiles, PhoneTrend } from './phones'

const server = fakeServer()

const overview = {
  ...{ all: 12_000, on: 3_406, off: 8_100, used: 2_311, noBackup: 5, queued: 7, medianWaitS: 12, longestWaitS: 138 },
  ...{ held: 2, expiresSoon: 640, dayAgo: '2026-11-29T04:30:00.000Z', putOn: 9_120, left: 8_990 },
  ...{ putOnFailed: 3, takeOffFailed: 1, failed: 4, today: '2026-11-29T16:00:00.000Z', byRule: 32 },
  byRules: [
    { why: 11, count: 20 },
    { why: 10, count: 12 },
  ],
}
const calm = {
  ...overview,
  queued: 0,
  medianWaitS: null,
  longestWaitS: null,
  held: 0,
  failed: 0,
  byRule: 0,
  byRules: [],
}
const totals = { nodes: 3, unreachable: 0, full: 0, nearlyFull: 1, usedBytes: 62 * 2 ** 30, limitBytes: 100 * 2 ** 30 }
const hours = Array.from({ length: 48 }, (_, at) => ({
  ...{ at: new Date(2026, 10, 28, at).toISOString(), putOn: at, waitS: 9, longestWaitS: 60, on: 3_000 + at },
}))

function answers({ phones = overview as unknown, storage = totals as unknown, course = hours as unknown } = {}) {
  server.use(
    http.get('*/api/phone/v1/phones/overview', () => good(phones)),
    http.get('*/api/phone/v1/phones/hours', () => good(course)),
    http.get('*/api/storage/v1/nodes/totals', () => good({ daysToFull: null, ...(storage as object) })),
  )
}

const tile = (name: RegExp) => screen.findByRole('link', { name })

it('leads from each figure to the rows that it counts', async () => {
  setLanguage('zh')
  answers()
  show(<PhoneTiles />)
  const list = '/cloudPhone/list'
  const sessions = '/cloudPhone/sessions'
  for (const [name, to] of [
    [/^在机\s*3,406/, `${list}?useType=1`],
    [/^使用中\s*2,311/, `${sessions}?isUsed=true`],
    [/^下机\s*8,100/, `${list}?life=2&useType=2`],
    [/^排队\s*7/, `${list}?queued=true`],
    [/^无备份\s*5/, `${list}?noBackup=true`],
    [/^待处理\s*2/, `${list}?held=true`],
    [/^将到期\s*640/, `${list}?expiresSoon=true`],
    [/^24h 上机\s*9,120/, `${sessions}?startTime=2026-11-29T04%3A30%3A00.000Z`],
    [/^24h 下机\s*8,990/, `${sessions}?leftStart=2026-11-29T04%3A30%3A00.000Z`],
    [/^24h 失败\s*4/, `${list}?failed=true`],
    [/^规则下机\s*32/, `${sessions}?byRule=true&leftStart=2026-11-29T16%3A00%3A00.000Z`],
    [/^存储\s*62%/, '/storage/management'],
  ] as const) {
    expect(await tile(name)).toHaveAttribute('href', to)
  }
})

it('says in words how long people wait, what has failed and which rules took phones off', async () => {
  setLanguage('en')
  answers({ storage: { ...totals, daysToFull: 12 } })
  show(<PhoneTiles />)
  expect(await tile(/^Queued/)).toHaveAttribute('title', expect.stringContaining('Median wait 12 s, longest 2 min'))
  expect(await tile(/^Failed/)).toHaveAttribute('title', 'Failed in the last 24 hours: 3 put-ons, 1 take-off')
  expect(await tile(/^By rule/)).toHaveAttribute('title', expect.stringContaining('Idle 20 · Others were waiting 12'))
  expect(await tile(/^Storage/)).toHaveTextContent('full in 12 d')
  expect(screen.getByText('7')).toHaveAttribute('data-tone', 'warn')
  expect(screen.getByText('62%')).toHaveAttribute('data-tone', 'warn')
})

it('stays calm while nobody waits and nothing has failed', async () => {
  setLanguage('en')
  answers({ phones: calm, storage: { ...totals, nearlyFull: 0 } })
  show(<PhoneTiles />)
  const queued = await tile(/^Queued\s*0$/)
  expect(queued.title).not.toContain('wait,')
  expect(document.querySelector('[data-tone]')).toBeNull()
})

it('asks for nothing and leads nowhere for which one lacks the right', async () => {
  setLanguage('zh')
  // A call that is not answered here fails the test.
  server.use(http.get('*/api/storage/v1/nodes/totals', () => good({ ...totals, daysToFull: null })))
  show(<PhoneTiles />, { rights: ['storage:list'] })
  expect(await tile(/^存储/)).toBeVisible()
  expect(screen.queryByText('在机')).toBeNull()
})

it('shows a figure without a way to what it counts, where that is another right', async () => {
  setLanguage('zh')
  answers()
  show(<PhoneTiles />, { rights: ['phone:list'] })
  expect(await tile(/^在机/)).toBeVisible()
  expect(screen.getByText('使用中')).toBeVisible()
  expect(screen.queryByRole('link', { name: /^使用中/ })).toBeNull()
  expect(screen.queryByText('存储')).toBeNull()
})

it('has put-ons and waits of the last day before those of the day before, in both languages', async () => {
  setLanguage('zh')
  answers()
  show(<PhoneTrend />)
  expect(await screen.findByRole('button', { name: /上机（前一天）/ })).toBeVisible()
  expect(screen.getByRole('img', { name: '平均等待（秒）' })).toBeVisible()
})

it('says that no phone came where none did', async () => {
  setLanguage('en')
  answers({ course: hours.map((hour) => ({ ...hour, putOn: 0, waitS: null, longestWaitS: null })) })
  show(<PhoneTrend />)
  expect(await screen.findByText('No phone came on a card in the last two days')).toBeVisible()
})
