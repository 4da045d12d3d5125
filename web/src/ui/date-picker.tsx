import DatePicker from 'antd/es/date-picker'

/** One moment: date and time of day. */
export const DateTimePicker = DatePicker
/** Two moments, the second not before the first. */
export const DateTimeRangePicker = DatePicker.RangePicker
