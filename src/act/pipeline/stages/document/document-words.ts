/** The words that a document adds to an answer. */
export type DocumentWords = {
  readonly keyPoints: string
  readonly references: string
  readonly details: string
  readonly questions: string
  readonly gaps: string
  readonly verification: string
  readonly scoreColumns: readonly [string, string, string]
  readonly atLeast: string
  readonly atMost: string
  readonly checkedBy: string
  readonly notFound: string
  readonly notApplicable: string
  readonly nothingVerified: string
  readonly notPassed: string
  readonly checkSources: string
  readonly fromEarlier: string
  /** Names of the checks and of those who checked; the English name for one without. */
  readonly names: Readonly<Record<string, string>>
}

const ENGLISH: DocumentWords = {
  keyPoints: "Key points",
  references: "References",
  details: "Details",
  questions: "Questions",
  gaps: "Gaps",
  verification: "Verification",
  scoreColumns: ["verification", "score", "needed"],
  atLeast: "at least",
  atMost: "at most",
  checkedBy: "Checked by",
  notFound: "Nothing was found for",
  notApplicable: "Verification is not applicable",
  nothingVerified: "Nothing was verified: there are no sources to check against.",
  notPassed: "Verification did not pass",
  checkSources: "Check the statements against the sources.",
  fromEarlier: "from the earlier answer",
  names: {},
}

const GERMAN: DocumentWords = {
  keyPoints: "Kernpunkte",
  references: "Quellen",
  details: "Einzelheiten",
  questions: "Fragen",
  gaps: "Lücken",
  verification: "Prüfung",
  scoreColumns: ["Prüfung", "Wert", "nötig"],
  atLeast: "mindestens",
  atMost: "höchstens",
  checkedBy: "Geprüft durch",
  notFound: "Nichts gefunden zu",
  notApplicable: "Die Prüfung ist nicht anwendbar",
  nothingVerified: "Nichts wurde geprüft: Es gibt keine Quellen.",
  notPassed: "Die Prüfung wurde nicht bestanden",
  checkSources: "Vergleichen Sie die Aussagen mit den Quellen.",
  fromEarlier: "aus der früheren Antwort",
  names: {
    "entity grounding": "Belegte Begriffe",
    "citation accuracy": "Richtige Zitate",
    "relation preservation": "Erhaltene Beziehungen",
    contradictions: "Widersprüche",
    words: "Wortvergleich",
    model: "ein Modell",
    "words and model": "Wortvergleich und ein Modell",
  },
}

const FRENCH: DocumentWords = {
  keyPoints: "Points clés",
  references: "Références",
  details: "Détails",
  questions: "Questions",
  gaps: "Lacunes",
  verification: "Vérification",
  scoreColumns: ["vérification", "valeur", "requis"],
  atLeast: "au moins",
  atMost: "au plus",
  checkedBy: "Vérifié par",
  notFound: "Rien n’a été trouvé pour",
  notApplicable: "La vérification ne s’applique pas",
  nothingVerified: "Rien n’a été vérifié : il n’y a pas de source.",
  notPassed: "La vérification a échoué",
  checkSources: "Comparez les affirmations aux sources.",
  fromEarlier: "de la réponse précédente",
  names: {
    "entity grounding": "Termes attestés",
    "citation accuracy": "Citations exactes",
    "relation preservation": "Relations conservées",
    contradictions: "Contradictions",
    words: "comparaison des mots",
    model: "un modèle",
    "words and model": "comparaison des mots et un modèle",
  },
}

const SPANISH: DocumentWords = {
  keyPoints: "Puntos clave",
  references: "Referencias",
  details: "Detalles",
  questions: "Preguntas",
  gaps: "Lagunas",
  verification: "Verificación",
  scoreColumns: ["verificación", "valor", "necesario"],
  atLeast: "al menos",
  atMost: "como máximo",
  checkedBy: "Verificado por",
  notFound: "No se encontró nada para",
  notApplicable: "La verificación no es aplicable",
  nothingVerified: "No se verificó nada: no hay fuentes.",
  notPassed: "La verificación no se superó",
  checkSources: "Compare las afirmaciones con las fuentes.",
  fromEarlier: "de la respuesta anterior",
  names: {
    "entity grounding": "Términos documentados",
    "citation accuracy": "Citas correctas",
    "relation preservation": "Relaciones conservadas",
    contradictions: "Contradicciones",
    words: "comparación de palabras",
    model: "un modelo",
    "words and model": "comparación de palabras y un modelo",
  },
}

const BY_LANGUAGE: Readonly<Record<string, DocumentWords>> = {
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
}

/** English for a language without a table. */
export function documentWords(language: string | undefined): DocumentWords {
  const [base = ""] = (language ?? "").toLowerCase().split("-")
  return (Object.hasOwn(BY_LANGUAGE, base) ? BY_LANGUAGE[base] : undefined) ?? ENGLISH
}
