"""How answers refuse in six languages, as data."""

from __future__ import annotations

# Phrases by which answers refuse, as `Policy.refusal_phrases` has the English ones. They count in
# sentences of their language, beside the policy's.
REFUSALS: dict[str, tuple[str, ...]] = {
    language: tuple(" ".join(phrase.split()) for phrase in phrases.split(";"))
    for language, phrases in {
        "de": """
            ich kann nicht; ich kann diese Frage nicht; ich kann Ihnen dazu; ich kann dazu nichts;
            ich kann dazu keine; ich kann dir dazu; ich kann Ihre Frage nicht; dazu kann ich nichts
            sagen; dazu kann ich keine; das kann ich nicht beantworten; das kann ich leider nicht;
            kann ich leider nicht beantworten; kann ich nicht beantworten; ich weiß es nicht; das
            weiß ich nicht; das weiß ich leider nicht; ich habe keine Informationen; ich habe dazu
            keine; habe ich keine Informationen; liegen mir keine Informationen; liegen mir keine
            Angaben; mir liegen keine; ich bin nicht sicher; ich bin mir nicht sicher; ich bin nicht
            in der Lage; es liegen keine Informationen; dazu liegen keine; dazu finde ich nichts;
            ich finde dazu keine; ich finde keine Angaben; ich finde keine Informationen; leider
            habe ich keine; leider kann ich nicht; leider kann ich diese; leider kann ich dazu;
            leider kann ich Ihnen; tut mir leid, aber ich
        """,
        "fr": """
            je ne peux pas; je ne peux malheureusement pas; je ne suis pas en mesure; je ne sais
            pas; je ne dispose pas; je ne dispose d'aucune; je n'ai pas d'information; je n'ai pas
            d'informations; je n'ai pas assez d'informations; je n'ai aucune information; je n'ai
            pas trouvé; je n'ai trouvé aucune; je ne trouve pas; je ne trouve aucune; je ne suis pas
            sûr; je ne suis pas certain; il m'est impossible de répondre; impossible de répondre à;
            aucune information disponible; aucune information n'est disponible; malheureusement, je
            ne; désolé, mais je ne; désolée, mais je ne; désolé, je ne; je regrette, mais je ne;
            hors de mon domaine
        """,
        "es": """
            no puedo; no puedo responder; no sé; no lo sé; no dispongo de; no tengo información; no
            tengo suficiente información; no tengo datos; no tengo ninguna información; no encuentro
            información; no encuentro ninguna; no he encontrado; no estoy seguro; no estoy segura;
            no estoy en condiciones; no me es posible; no hay información disponible;
            lamentablemente, no; lamentablemente no puedo; desafortunadamente, no; lo siento, pero
            no; lo siento, no; fuera de mi conocimiento; no soy capaz de
        """,
        "it": """
            non posso; non posso rispondere; non sono in grado; non lo so; non so rispondere; non
            dispongo di; non ho informazioni; non ho abbastanza informazioni; non ho informazioni
            sufficienti; non ho trovato; non trovo informazioni; non sono sicuro; non sono sicura;
            non mi è possibile; nessuna informazione disponibile; non ci sono informazioni;
            purtroppo non posso; purtroppo non ho; purtroppo non dispongo; mi dispiace, ma non; mi
            dispiace, non; spiacente, ma non
        """,
        "nl": """
            ik kan niet; ik kan deze vraag niet; ik kan uw vraag niet; ik kan je vraag niet; ik kan
            hier geen; ik kan daar geen; daar kan ik geen; dat kan ik niet beantwoorden; kan ik niet
            beantwoorden; ik weet het niet; dat weet ik niet; dat weet ik helaas niet; ik heb geen
            informatie; ik heb hier geen; ik heb daar geen; ik heb onvoldoende informatie; ik
            beschik niet over; ik ben niet in staat; ik ben niet zeker; ik weet niet zeker; ik vind
            geen informatie; ik kan geen informatie; geen informatie beschikbaar; helaas kan ik;
            helaas heb ik geen; het spijt me, maar ik
        """,
        "pt": """
            não posso; não posso responder; não consigo; não consigo responder; não sei; não
            disponho de; não tenho informação; não tenho informações; não tenho informações
            suficientes; não tenho dados; não encontrei; não encontro; não tenho certeza; não tenho
            a certeza; não estou em condições; não me é possível; não há informação disponível; não
            há informações disponíveis; infelizmente, não; infelizmente não posso; infelizmente não
            tenho; lamento, mas não; desculpe, mas não; sinto muito, mas não
        """,
    }.items()
}
