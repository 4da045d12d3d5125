import { useMessages } from '@/i18n/messages'
import { Select } from '@/ui/select'
import { kitMessages } from '../messages'
import { defaultPageSize, pageSizes } from './filter'
import type { List } from './use-list'

const usual = 0

/** How many rows a page has: as many as fit the window, or a number of one's own. */
export function PageSizeChoice({ list }: { list: List }) {
  const m = useMessages(kitMessages)
  const { fit, pageSize, setSize } = list
  if (!setSize) return null
  const isUsual = fit ? list.isFitted === true : (list.chosenSize ?? defaultPageSize) === defaultPageSize
  const sizes = pageSizes.filter((size) => fit || size !== defaultPageSize)
  const own = sizes.some((size) => size === pageSize) || isUsual ? [] : [pageSize]
  const options = [
    { value: usual, label: fit ? m.fitsWindow(fit.rows ?? pageSize) : m.perPage(defaultPageSize) },
    ...[...own, ...sizes].toSorted((a, b) => a - b).map((value) => ({ value, label: m.perPage(value) })),
  ]
  return (
    <Select
      className="kit-page-size"
      size="small"
      aria-label={m.pageSize}
      popupMatchSelectWidth={false}
      options={options}
      value={isUsual ? usual : pageSize}
      onChange={(size) => setSize(size === usual ? undefined : size)}
    />
  )
}
