import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { fakeServer, good, show } from '@/testing/render'
import { CardFigures } from './figures'

const server = fakeServer()
const latest = { cpu: 62, memory: 81, temperature: 71, storage: 47, latency: 38, loss: 1, uptime: 60 }

it('shows the six figures, and says of one that is too high from where on it is', async () => {
  setLanguage('en')
  server.use(
    http.get('*/api/fleet/v1/metrics', () => good({ place: [], card: [] })),
    http.get('*/api/fleet/v1/settings', () =>
      good({ cpuPercent: 90, memoryPercent: 90, storagePercent: 90, temperature: 68 }),
    ),
  )
  show(<CardFigures id={7} latest={latest} />)
  expect(await screen.findByText('over 68 °C')).toBeVisible()
  expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual([
    '62%',
    '81%',
    '71 °Cover 68 °C',
    '47%',
    '38 ms',
    '1%',
  ])
})

it('leaves no empty box for a card that has never reported', () => {
  server.use(
    http.get('*/api/fleet/v1/metrics', () => good({ place: [], card: [] })),
    http.get('*/api/fleet/v1/settings', () => good(null)),
  )
  show(<CardFigures id={7} latest={null} />)
  expect(screen.queryByText('CPU')).toBeNull()
})
