import { createMemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'
import { letLeave } from './leaving'

/** A router whose second page, and the details of whose first, are there when they are let. */
function routes() {
  let open = () => {}
  const isThere = new Promise<null>((resolve) => {
    open = () => resolve(null)
  })
  const router = letLeave(
    createMemoryRouter(
      [
        {
          path: '/list',
          element: null,
          loader: ({ request }) => (new URL(request.url).searchParams.has('detail') ? isThere : null),
        },
        { path: '/next', element: null, loader: () => isThere },
      ],
      { initialEntries: ['/list'] },
    ),
  )
  return { router, open, address: () => router.state.location.pathname + router.state.location.search }
}

/** How a page writes its address: alone, and within the routes of the shell, which name its path. */
const ways = [
  ['by its query', (search: string) => search],
  ['by its whole path', (search: string) => ({ pathname: '/list', search, hash: '' })],
] as const

describe.each(ways)('a page that writes its address %s', (_, write) => {
  it('calls nobody back who is on his way to another page', async () => {
    const { router, open, address } = routes()
    const gone = router.navigate('/next')
    await router.navigate(write('?keyWord=half'), { replace: true })
    open()
    await gone
    expect(address()).toBe('/next')
  })

  it('writes it beside the record that was clicked', async () => {
    const { router, open, address } = routes()
    await router.navigate(write('?keyWord=ha&page=2'), { replace: true })
    const gone = router.navigate(write('?keyWord=ha&page=2&detail=7'), { replace: true })
    const written = router.navigate(write('?keyWord=half'), { replace: true })
    open()
    await Promise.all([gone, written])
    expect(address()).toBe('/list?keyWord=half&detail=7')
  })

  it('does so at once when nobody is on his way', async () => {
    const { router, address } = routes()
    await router.navigate(write('?keyWord=half'), { replace: true })
    expect(address()).toBe('/list?keyWord=half')
  })
})

it('a person may change his mind', async () => {
  const { router, open, address } = routes()
  void router.navigate('/next')
  await router.navigate('/list?page=2')
  expect(address()).toBe('/list?page=2')
  void router.navigate('/next')
  // The entry of the page in view, as a link to the same address is followed.
  await router.navigate({ pathname: '/list', search: '?page=2' }, { replace: true })
  expect(address()).toBe('/list?page=2')
  void router.navigate('/next')
  const opened = router.navigate({ pathname: '/list', search: '?page=2&detail=7' }, { replace: true })
  open()
  await opened
  expect(address()).toBe('/list?page=2&detail=7')
})
