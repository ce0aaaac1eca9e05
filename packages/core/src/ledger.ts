export { type CsvColumn, toCsv } from './ledger-csv.ts';
export { toJsonLines } from './ledger-json-lines.ts';
export {
  type SummaryGroup,
  type SummaryKey,
  type SummaryOptions,
  type SummaryRow,
  summarize,
  type TokenSums,
} from './summarize-ledger.ts';
