"""modalgen: contrast pairs for modal logic, labelled by proof and by countermodel."""
