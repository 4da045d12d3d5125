import CheckCircleOutlined from '@ant-design/icons/es/icons/CheckCircleOutlined'
import ClockCircleOutlined from '@ant-design/icons/es/icons/ClockCircleOutlined'
import ExclamationCircleOutlined from '@ant-design/icons/es/icons/ExclamationCircleOutlined'
import InfoCircleOutlined from '@ant-design/icons/es/icons/InfoCircleOutlined'
import MinusCircleOutlined from '@ant-design/icons/es/icons/MinusCircleOutlined'
import StopOutlined from '@ant-design/icons/es/icons/StopOutlined'
import type { Tone } from './tone'

export { default as ArrowDownIcon } from '@ant-design/icons/es/icons/ArrowDownOutlined'
export { default as ArrowUpIcon } from '@ant-design/icons/es/icons/ArrowUpOutlined'
export { default as PlayIcon } from '@ant-design/icons/es/icons/CaretRightOutlined'
export { default as CloseIcon } from '@ant-design/icons/es/icons/CloseOutlined'
export { default as CopyIcon } from '@ant-design/icons/es/icons/CopyOutlined'
export { default as DownloadIcon } from '@ant-design/icons/es/icons/DownloadOutlined'
export { default as DownIcon } from '@ant-design/icons/es/icons/DownOutlined'
export { default as FilterIcon } from '@ant-design/icons/es/icons/FilterOutlined'
export { default as HistoryIcon } from '@ant-design/icons/es/icons/HistoryOutlined'
export { default as DragIcon } from '@ant-design/icons/es/icons/HolderOutlined'
export { default as LinkIcon } from '@ant-design/icons/es/icons/LinkOutlined'
export { default as MoreIcon } from '@ant-design/icons/es/icons/MoreOutlined'
export { default as PauseIcon } from '@ant-design/icons/es/icons/PauseOutlined'
export { default as PictureIcon } from '@ant-design/icons/es/icons/PictureOutlined'
export { default as PlusIcon } from '@ant-design/icons/es/icons/PlusOutlined'
export { default as ReloadIcon } from '@ant-design/icons/es/icons/ReloadOutlined'
export { default as SearchIcon } from '@ant-design/icons/es/icons/SearchOutlined'
export { default as SettingIcon } from '@ant-design/icons/es/icons/SettingOutlined'
export { default as UploadIcon } from '@ant-design/icons/es/icons/UploadOutlined'

/** One shape a tone, so that a state can be told without its colour. */
export const toneIcon = {
  good: CheckCircleOutlined,
  info: InfoCircleOutlined,
  busy: ClockCircleOutlined,
  warn: ExclamationCircleOutlined,
  bad: StopOutlined,
  muted: MinusCircleOutlined,
} satisfies Record<Tone, unknown>
