from eagerflow.keras.export.archive import ExportArchive as ExportArchive
