package io.github.wheelscheduler.release;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A POM, asked by paths such as {@code scm/url}. */
final class Pom {

    private final Document document;

    private Pom(Document document) {
        this.document = document;
    }

    static Pom read(InputStream in) throws IOException {
        try {
            return new Pom(
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in));
        } catch (ParserConfigurationException | SAXException ex) {
            throw new IOException(ex);
        }
    }

    /** Returns the texts of the elements at a path. */
    List<String> texts(String path) {
        XPath xpath = XPathFactory.newInstance().newXPath();
        try {
            NodeList nodes = (NodeList) xpath.evaluate("/project/" + path, document, XPathConstants.NODESET);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < nodes.getLength(); i++) {
                texts.add(nodes.item(i).getTextContent().strip());
            }
            return texts;
        } catch (XPathExpressionException ex) {
            throw new IllegalArgumentException(path, ex);
        }
    }

    /** Returns the names of the elements of the project itself. */
    List<String> elements() {
        NodeList nodes = document.getDocumentElement().getElementsByTagName("*");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i).getParentNode() == document.getDocumentElement()) {
                names.add(nodes.item(i).getNodeName());
            }
        }
        return names;
    }
}
